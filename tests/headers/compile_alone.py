# SPDX-License-Identifier: Apache-2.0
"""compile_alone.py public|internal COMPILER...: every header of that kind compiles alone, and twice.

COMPILER is a C++ compiler; its C twin is found by name (g++ -> gcc, clang++ -> clang).
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C_AND_CXX = ("c11", "c17", "c++11", "c++17", "c++20")
CXX_ONLY = ("c++20",)


def headers(folder):
    """(name as a program includes it, its standards) for each header."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".h", ".hpp"):
            yield path.relative_to(ROOT / folder).as_posix(), C_AND_CXX if path.suffix == ".h" else CXX_ONLY


def compile_alone(compiler, header, standard, options):
    """What the compiler says, empty when it accepts."""
    is_cxx = standard.startswith("c++")
    if not is_cxx:
        compiler = compiler.replace("clang++", "clang").replace("g++", "gcc")
    command = [compiler, f"-std={standard}", *options, "-fsyntax-only", "-x", "c++" if is_cxx else "c", "-"]
    program = f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n'
    result = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"{header} as {standard}: {' '.join(command)}\n{result.stderr}"


def main(kind, compiler):
    if kind == "public":
        folder, options = "include", ["-I", ROOT / "include", *WARNINGS]
        levels = ["-O0", "-O2"]  # some functions are inline with optimisation only
    else:
        folder, options = "src", ["-I", ROOT / "src", "-I", ROOT / "include", "-DFMT_HEADER_ONLY", *WARNINGS]
        levels = ["-O0"]
    options = [str(option) for option in options]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [
            pool.submit(compile_alone, compiler, header, standard, [*options, level])
            for header, standards in headers(folder)
            for standard in standards
            for level in levels
        ]
    complaints = [run.result() for run in runs if run.result()]
    print(*complaints, f"{len(runs)} compilations, {len(complaints)} failed", sep="\n")
    return 1 if complaints or not runs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

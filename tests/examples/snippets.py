# SPDX-License-Identifier: Apache-2.0
"""Compiles the code of a Markdown page: snippets.py PAGE INCLUDE_FOLDER C_COMPILER CXX_COMPILER

A block that contains main() is a program; other blocks in C++ are bodies of functions with these parameters."""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(c|cpp)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADERS = "#include <cstdint>\n#include <cstdio>\n#include <span>\n#include <vector>\n#include <shmem.hpp>\n"
PARAMETERS = "[[maybe_unused]] int me, [[maybe_unused]] int n, [[maybe_unused]] int next"
FLAGS = {"c": ["-x", "c", "-std=c11"], "cpp": ["-x", "c++", "-std=c++20"]}


def programs(page):
    """(language, source) of each program; the pieces of one page make one program."""
    pieces = []
    for match in BLOCK.finditer(page):
        language, code = match.groups()
        line = f"#line {page.count(chr(10), 0, match.start()) + 2}\n"
        if "int main(" in code:
            yield language, line + code
        elif language == "cpp":
            pieces.append(f"void piece_{len(pieces)}({PARAMETERS}) {{\n{line}{code}}}\n")
        else:
            raise SystemExit(f"a piece in C at line {line.split()[1]}: pieces are written in C++")
    if pieces:
        yield "cpp", HEADERS + "".join(pieces)


def main(page, include, c_compiler, cxx_compiler):
    compiler = {"c": c_compiler, "cpp": cxx_compiler}
    found = list(programs(pathlib.Path(page).read_text()))
    if not found:
        raise SystemExit(f"no code in {page}")
    for language, source in found:
        flags = [*FLAGS[language], "-Wall", "-Wextra", "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Werror"]
        command = [compiler[language], *flags, "-I", include, "-fsyntax-only", "-"]
        subprocess.run(command, input=source, text=True, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

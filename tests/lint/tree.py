# SPDX-License-Identifier: Apache-2.0
"""What the lint scripts share: the tree's own files, and C++ text without comments and literals."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_SUFFIXES = {".c", ".h", ".cpp", ".hpp"}
FOLDERS = ("bench", "cmake", "examples", "include", "launch", "python", "src", "tests", "tools")

LITERAL_OR_COMMENT = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)" | "(?:\\.|[^"\\\n])*" | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)


def files(root, suffixes):
    """The files below `root` with one of these suffixes, as paths relative to it, sorted."""
    found = (path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in suffixes)
    return sorted(path.relative_to(root) for path in found if path.is_file())


def is_generated(path):
    return "generated" in path.parts


def without_text(source):
    """`source` with comments and literals blanked, every line where it was."""
    return LITERAL_OR_COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def report(problems):
    """Prints (path, line, rule) triples and ends the script."""
    for path, line, rule in problems:
        print(f"{path}:{line}: {rule}")
    sys.exit(1 if problems else 0)

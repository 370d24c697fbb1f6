# SPDX-License-Identifier: Apache-2.0
"""Checks the form of files: size, size of functions, licence line. Generated files have no size limits."""

import re

import tree

FILE_LINES = 400
PUBLIC_HEADER_LINES = 250
FUNCTION_LINES = 40
LICENCE = "SPDX-License-Identifier: Apache-2.0"

TEXT_SUFFIXES = tree.CODE_SUFFIXES | {".py", ".sh", ".cmake", ".txt"}
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
NOT_A_FUNCTION = re.compile(r"^\s*(?:else\s+)?(?:if|for|while|switch|catch|namespace|struct|class|enum|union)\b")
FUNCTION_HEAD_END = re.compile(r"(?:\)|\bconst|\bnoexcept|\boverride|\bfinal|\bmutable|->[^;{}]*|\)\s*requires[^;{}]*)$")


def functions(source):
    """(first line, number of lines) of each function body and lambda, from `{` to `}`."""
    text = DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), tree.without_text(source))
    found, open_braces, statement_start, line = [], [], 0, 1
    for position, character in enumerate(text):
        if character == "\n":
            line += 1
        elif character == "{":
            head = text[statement_start:position].strip()
            is_function = "(" in head and FUNCTION_HEAD_END.search(head) and not NOT_A_FUNCTION.match(head)
            open_braces.append(line if is_function else None)
        elif character == "}" and open_braces:
            first = open_braces.pop()
            if first is not None:
                found.append((first, line - first + 1))
        if character in ";{}":
            statement_start = position + 1
    return found


def line_limit(path):
    if tree.is_generated(path):
        return None
    return PUBLIC_HEADER_LINES if path.parts[0] == "include" else FILE_LINES


def check_file(path, source):
    problems = []
    lines, limit = source.count("\n"), line_limit(path)
    if limit and lines > limit:
        problems.append((path, lines, f"{lines} lines; at most {limit} in such a file"))
    if path.suffix in tree.CODE_SUFFIXES:
        if LICENCE not in source.partition("\n")[0]:
            problems.append((path, 1, f"the first line must contain {LICENCE}"))
        if not tree.is_generated(path):
            problems += [
                (path, first, f"function of {length} lines; at most {FUNCTION_LINES}")
                for first, length in functions(source)
                if length > FUNCTION_LINES
            ]
    return problems


def check(root):
    return [p for path in tree.files(root, TEXT_SUFFIXES) for p in check_file(path, (root / path).read_text())]


if __name__ == "__main__":
    tree.report(check(tree.ROOT))

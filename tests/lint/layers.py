# SPDX-License-Identifier: Apache-2.0
"""Checks the layer order: an include may only point to a layer listed in MAY_INCLUDE.

    base <- core <- coll <- capi <- everything outside src/
             ^
    backend/*, transport/*, bootstrap/* implement contracts that core owns; core never includes them.
    Only capi, which puts the parts of the library together, does.
"""

import pathlib
import re

import tree

INNER = {"base", "core", "coll"}
# One folder for each implementation: they know nothing of each other.
SEPARATE = {"backend", "transport", "bootstrap"}
MAY_INCLUDE = {
    "base": set(),
    "core": {"base"},
    "coll": {"base", "core"},
    "backend": {"base", "core"},
    "transport": {"base", "core"},
    "bootstrap": {"base", "core"},
    "capi": INNER | SEPARATE | {"include"},
    "include": set(),
    "launch": {"base", "core", "include"},
    "bench": {"base", "core", "include"},
    "tools": INNER | {"include", "launch"},
    "python": {"include"},
    "examples": {"include"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def layer_of(path):
    """("core", "core"), ("backend", "backend/host"), ("examples", "examples"): the layer and the room in it."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts
    layer = parts[0]
    return layer, "/".join(parts[:2]) if layer in SEPARATE else layer


def resolve(root, includer, name):
    """The tree's own file that `name` means in `includer`; None for one of another library."""
    for folder in (root / includer.parent, root / "src", root / "include", root):
        path = pathlib.Path(folder, name).resolve()
        if path.is_file() and path.is_relative_to(root):
            return path.relative_to(root)
    return None


def violation(includer, included):
    """The rule that this include breaks, or None."""
    layer, room = layer_of(includer)
    other_layer, other_room = layer_of(included)
    if layer == "tests" or room == other_room or other_layer in MAY_INCLUDE[layer]:
        return None
    return f"{room} may not include {other_room} ({included})"


def check(root):
    problems = []
    for path in tree.files(root, tree.CODE_SUFFIXES):
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            included = match and resolve(root, path, match.group(1))
            rule = included and violation(path, included)
            if rule:
                problems.append((path, number, rule))
    return problems


if __name__ == "__main__":
    tree.report(check(tree.ROOT))

# SPDX-License-Identifier: Apache-2.0
"""The lint scripts find what they are there to find."""

import pathlib
import tempfile
import unittest

import form
import layers


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


class Layers(unittest.TestCase):
    def problems(self, includer, include):
        """What is said of a file with one include, in a tree that has the files included below."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for path in ("include/shmem.h", "src/base/copy.hpp", "src/core/heap.hpp", "src/backend/host/memory.hpp"):
                write(root, path, "")
            write(root, includer, f"// first line\n#include {include}\n")
            return [f"{path}:{line}: {rule}" for path, line, rule in layers.check(root)]

    def test_an_include_to_the_right_is_found_with_file_and_line(self):
        self.assertEqual(
            self.problems("src/base/log.cpp", '"core/heap.hpp"'),
            ["src/base/log.cpp:2: base may not include core (src/core/heap.hpp)"],
        )

    def test_core_may_not_include_what_implements_its_contracts(self):
        self.assertEqual(len(self.problems("src/core/rma.cpp", '"backend/host/memory.hpp"')), 1)

    def test_backends_may_not_include_each_other(self):
        self.assertEqual(len(self.problems("src/backend/cuda/memory.cpp", '"../host/memory.hpp"')), 1)

    def test_public_headers_and_examples_see_nothing_internal(self):
        self.assertEqual(len(self.problems("include/shmem.hpp", '"base/copy.hpp"')), 1)
        self.assertEqual(len(self.problems("examples/c/ring.c", '"base/copy.hpp"')), 1)

    def test_angle_brackets_hide_nothing(self):
        self.assertEqual(len(self.problems("src/base/log.cpp", "<core/heap.hpp>")), 1)

    def test_includes_to_the_left_and_of_other_libraries_are_fine(self):
        self.assertEqual(self.problems("src/core/rma.cpp", '"base/copy.hpp"'), [])
        self.assertEqual(self.problems("src/backend/host/memory.cpp", '"memory.hpp"'), [])
        self.assertEqual(self.problems("src/capi/rma.cpp", '"shmem.h"'), [])
        self.assertEqual(self.problems("src/core/rma.cpp", "<vector>"), [])


class Form(unittest.TestCase):
    LICENCE = f"// {form.LICENCE}\n"

    def rules(self, path, source):
        return [rule for _, _, rule in form.check_file(pathlib.Path(path), source)]

    def body(self, head, lines):
        return self.LICENCE + head + " {\n" + "    call(\"}\"); // }\n" * lines + "}\n"

    def test_a_long_function_is_found_however_it_is_written(self):
        heads = (
            "void f()",
            "int Class::f(int x) const",
            "Class::Class(int x)\n    : x_(x), y_(2)",
            "auto f() -> std::optional<int>",
            "TEST(Heap, freed_space_is_reused)",
            "auto f = [&](int x)",
        )
        for head in heads:
            self.assertEqual(self.rules("src/a.cpp", self.body(head, 38)), [], head)
            self.assertEqual(len(self.rules("src/a.cpp", self.body(head, 39))), 1, head)

    def test_types_and_namespaces_are_not_functions(self):
        for head in ("struct alignas(64) Slot", "namespace shm", "class [[nodiscard]] Result"):
            self.assertEqual(self.rules("src/a.cpp", self.body(head, 60)), [], head)

    def test_a_long_file_is_found(self):
        self.assertEqual(self.rules("src/a.cpp", self.LICENCE + "\n" * 399), [])
        self.assertEqual(len(self.rules("src/a.cpp", self.LICENCE + "\n" * 400)), 1)
        self.assertEqual(len(self.rules("include/shmem.h", self.LICENCE + "\n" * 250)), 1)
        self.assertEqual(self.rules("include/shmem/generated/typed.h", self.LICENCE + "\n" * 9000), [])

    def test_a_file_without_licence_is_found(self):
        self.assertEqual(len(self.rules("src/a.cpp", "#pragma once\n")), 1)


if __name__ == "__main__":
    unittest.main()

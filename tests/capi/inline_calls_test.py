# SPDX-License-Identifier: Apache-2.0
"""inline_calls_test.py CC CXX: small puts and gets call the library only off the plain path, unless asked to."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CC, CXX = sys.argv.pop(1), sys.argv.pop(1)

PROGRAM = """
#include <shmem.h>
void put(uint64_t* dest, uint64_t value, int pe) { shmem_putmem(dest, &value, sizeof value, pe); }
uint64_t get(uint64_t* source, int pe) { uint64_t value; shmem_getmem(&value, source, sizeof value, pe); return value; }
"""
CPP_PROGRAM = """
#include <shmem.hpp>
void put(double* dest, double value, int pe) { shmem::put(dest, value, pe); }
double get(double* source, int pe) { return shmem::get(source, pe); }
"""


def symbols(compiler, language, program, *options):
    """What the object file needs of others."""
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "program.o")
        command = [compiler, "-x", language, "-I", str(ROOT / "include"), *options, "-c", "-", "-o", str(target)]
        subprocess.run(command, input=program, text=True, check=True)
        names = subprocess.run(["nm", "--undefined-only", target], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in names.splitlines()}


class Calls(unittest.TestCase):
    def test_optimised_c_has_the_functions_inline_and_calls_in_reserve(self):
        for compiler, language in ((CC, "c"), (CXX, "c++")):
            for level in ("-O1", "-O2", "-O3", "-Os"):
                with self.subTest(language + level):
                    needed = symbols(compiler, language, PROGRAM, level)
                    self.assertLessEqual({"shmemx_fast_1", "shmemx_wake", "pshmem_putmem", "pshmem_getmem"}, needed)
                    self.assertTrue(needed.isdisjoint({"shmem_putmem", "shmem_getmem"}), needed)

    def test_a_program_that_asks_for_calls_or_is_not_optimised_has_them(self):
        for compiler, language in ((CC, "c"), (CXX, "c++")):
            for options in (["-O2", "-DSHMEM_NO_INLINE"], ["-O0"]):
                with self.subTest(language=language, options=options):
                    needed = {name for name in symbols(compiler, language, PROGRAM, *options) if "shmem" in name}
                    self.assertEqual(needed, {"shmem_putmem", "shmem_getmem"})

    def test_the_same_holds_for_values_in_cpp(self):
        inline = symbols(CXX, "c++", CPP_PROGRAM, "-std=c++20", "-O2")
        self.assertIn("shmemx_fast_1", inline)
        called = symbols(CXX, "c++", CPP_PROGRAM, "-std=c++20", "-O2", "-DSHMEM_NO_INLINE")
        self.assertIn("shmemx_checked_put", called)
        self.assertNotIn("shmemx_fast_1", called)


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: Apache-2.0
"""An installed SHMEM serves C and C++ programs, with CMake and with pkg-config, wherever its prefix lies."""

import os
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

import installed
from installed import BUILD, CMAKE, SOURCE, VERSION, run

sys.path.append(str(SOURCE / "tests" / "examples"))
import snippets

COMPILERS = {"c": [os.environ["CC"], "-std=c11"], "cpp": [os.environ["CXX"], "-std=c++20"]}
GREETINGS = ["PE 0 of 2 heard from PE 1", "PE 1 of 2 heard from PE 0"]
PROJECT = """cmake_minimum_required(VERSION 3.23)
project(first LANGUAGES {language})
find_package(shmem {version} REQUIRED)
add_executable(first first.{suffix})
target_link_libraries(first PRIVATE shmem::shmem)
"""
CONTAINER = """cmake_minimum_required(VERSION 3.23)
project(container)
set(SHMEM_BUILD_PROGRAMS OFF)
set(SHMEM_BUILD_TESTS OFF)
add_subdirectory("{source}" shmem)
"""


def write_project(folder, suffix, version=VERSION):
    """A CMake project around the first program that README.md shows in this language."""
    page = (SOURCE / "README.md").read_text()
    language = {"c": "C", "cpp": "CXX"}[suffix]
    folder.mkdir()
    (folder / f"first.{suffix}").write_text(dict(snippets.programs(page))[suffix])
    (folder / "CMakeLists.txt").write_text(PROJECT.format(language=language, suffix=suffix, version=version))


class Installation:
    """The tests of a prefix; `prefix` is set by those who inherit."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.library = self.prefix / installed.LIBRARY_FOLDER

    def run_first(self, program, **options):
        lines = run(self.prefix / "bin/shmemrun", "-n", "2", "--timeout", "60", program, **options).splitlines()
        self.assertEqual(sorted(lines), GREETINGS)

    def build_with_cmake(self, suffix, prefix, environment=None):
        project, build = self.scratch / suffix, self.scratch / f"{suffix}-build"
        write_project(project, suffix)
        run(CMAKE, "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", environment=environment)
        run(CMAKE, "--build", build)
        return build

    def test_a_project_in_c_builds_without_a_cpp_compiler_and_runs(self):
        build = self.build_with_cmake("c", self.prefix, {"CXX": "/no/such/compiler"})
        self.assertNotIn("CMAKE_CXX_COMPILER", (build / "CMakeCache.txt").read_text())
        self.run_first(build / "first")

    def test_a_project_in_cpp_gets_the_standard_it_needs_and_runs(self):
        self.run_first(self.build_with_cmake("cpp", self.prefix) / "first")

    def test_pkg_config_has_what_compilers_need(self):
        pkg_config = {"PKG_CONFIG_PATH": str(self.library / "pkgconfig")}
        self.assertEqual(run("pkg-config", "--modversion", "shmem", environment=pkg_config).strip(), VERSION)
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "shmem", environment=pkg_config))
        (folder,) = shlex.split(run("pkg-config", "--variable=libdir", "shmem", environment=pkg_config))
        for suffix, compiler in COMPILERS.items():
            write_project(self.scratch / suffix, suffix)
            program, source = self.scratch / f"first-{suffix}", self.scratch / suffix / f"first.{suffix}"
            run(*compiler, source, "-o", program, *flags)
            self.run_first(program, environment={"LD_LIBRARY_PATH": folder})
            run(*compiler, source, "-o", program, *flags, f"-Wl,-rpath,{folder}")
            self.run_first(program)

    def test_programs_find_the_library_of_their_own_prefix(self):
        self.assertEqual(
            run(self.prefix / "bin/shmemrun", "-n", "2", self.prefix / "bin/shmem-bench", "--version"),
            f"shmem-bench {VERSION}\n")  # fmt: skip
        libraries = run("ldd", self.prefix / "bin/shmem-bench")
        found = re.search(r"libshmem\.so\.\d+ => (.*) \(0x", libraries).group(1)
        self.assertEqual(pathlib.Path(found).resolve().parent, self.library.resolve())


class Installed(Installation, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = pathlib.Path(cls.folder.name) / "prefix"
        # Whatever the umask: the files are for everyone to read and for nobody else to write.
        umask = os.umask(0)
        try:
            installed.install(cls.prefix)
        finally:
            os.umask(umask)

    def binaries(self):
        return [*(self.prefix / "bin").iterdir(), self.library / "libshmem.so"]

    def test_every_public_header_is_there(self):
        self.assertEqual(installed.tree(self.prefix / "include"), installed.tree(SOURCE / "include"))

    def test_links_between_the_pages_for_users_hold(self):
        documents = self.prefix / "share/doc/shmem"
        for page in (documents / "README.md", *(documents / "docs").iterdir()):
            for target in re.findall(r"\]\(([^)#:]+\.md|[^)#:]*examples/[^)#:]*)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_the_examples_build_as_a_project_of_their_own(self):
        examples, build = self.prefix / "share/doc/shmem/examples", self.scratch / "build"
        run(CMAKE, "-S", examples, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", build, "--target", "example_c_ring", "example_cpp_ring")
        for language in ("c", "cpp"):
            run(self.prefix / "bin/shmemrun", "-n", "2", build / "bin/examples" / language / "ring")

    def test_another_version_is_refused(self):
        project = self.scratch / "project"
        write_project(project, "c", "99")
        ended = installed.attempt(
            CMAKE, "-S", project, "-B", self.scratch / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")  # fmt: skip
        self.assertNotEqual(ended.returncode, 0)
        self.assertRegex(ended.stdout, rf'compatible\s+with\s+requested\s+version "99"[^$]*version: {re.escape(VERSION)}')

    def test_the_build_tree_is_found_as_well(self):
        self.run_first(self.build_with_cmake("c", BUILD, {"CXX": "/no/such/compiler"}) / "first")

    def test_a_project_that_contains_shmem_does_not_install_it(self):
        project, build = self.scratch / "project", self.scratch / "build"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(CONTAINER.format(source=SOURCE))
        run(CMAKE, "-S", project, "-B", build)
        scripts = [build / "cmake_install.cmake", *(build / "shmem").rglob("cmake_install.cmake")]
        self.assertGreater(len(scripts), 1)
        for script in scripts:
            self.assertNotIn("file(INSTALL", script.read_text())

    def test_the_library_exports_its_interface_only(self):
        symbols = [line.split() for line in run("nm", "-D", "--defined-only", self.library / "libshmem.so").splitlines()]
        names = {name for *_, kind, name in symbols if kind != "A"}
        self.assertIn("shmem_init@@SHMEM_1", names)
        self.assertEqual([name for name in names if not re.match("p?shmem_|shmemx_", name)], [])

    def test_nothing_is_linked_that_a_system_does_not_have(self):
        allowed = installed.SYSTEM_LIBRARIES | {f"libshmem.so.{VERSION.partition('.')[0]}"}
        for binary in self.binaries():
            libraries = {name for name in installed.needed_libraries(binary) if not name.startswith("ld-linux")}
            self.assertLessEqual(libraries, allowed, binary)

    def test_nothing_is_writable_by_all(self):
        self.assertEqual(installed.writable_by_all(self.prefix), [])

    def test_no_file_names_the_tree_it_was_built_in(self):
        if os.environ["BUILD_TYPE"] != "Release":
            self.skipTest("debugging needs the names of sources")
        for path in [*self.binaries(), *self.library.rglob("*.cmake"), *self.library.rglob("*.pc")]:
            for tree in (SOURCE, BUILD):
                self.assertNotIn(f"{tree}/".encode(), path.read_bytes(), path)


class Moved(Installation, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        first = pathlib.Path(cls.folder.name) / "first"
        cls.prefix = pathlib.Path(cls.folder.name) / "another place" / "moved"
        installed.install(first)
        cls.prefix.parent.mkdir()
        first.rename(cls.prefix)


if __name__ == "__main__":
    unittest.main(verbosity=2)

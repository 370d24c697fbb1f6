# SPDX-License-Identifier: Apache-2.0
"""The Debian package has what `cmake --install` installs, and installs and removes cleanly."""

import pathlib
import re
import tempfile
import unittest

import installed
from installed import BUILD, CMAKE, VERSION, run


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cpack = pathlib.Path(CMAKE).with_name("cpack")
        run(cpack, "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder / "packages")
        (cls.file,) = (cls.folder / "packages").glob("*.deb")
        cls.contents = cls.folder / "contents"
        run("dpkg-deb", "--raw-extract", cls.file, cls.contents)

    def field(self, name):
        return run("dpkg-deb", "--field", self.file, name).strip()

    def test_it_says_what_it_is(self):
        architecture = run("dpkg", "--print-architecture").strip()
        self.assertEqual(self.file.name, f"shmem_{VERSION}_{architecture}.deb")
        self.assertEqual(self.field("Package"), "shmem")
        self.assertEqual(self.field("Version"), VERSION)
        self.assertEqual(self.field("Section"), "libdevel")
        self.assertRegex(self.field("Maintainer"), r"^SHMEM developers <\S+@example\.org>$")
        self.assertRegex(self.field("Description"), r"^One-sided shared memory between processes\n .")

    def test_it_depends_on_the_packages_of_the_libraries_that_are_linked(self):
        for package in ("libc6", "libgcc-s1", "libhwloc15", "libstdc++6"):
            self.assertRegex(self.field("Depends"), rf"\b{re.escape(package)} \(>= ")

    def test_it_has_the_files_that_cmake_installs(self):
        prefix = self.folder / "prefix"
        installed.install(prefix)
        self.assertEqual(installed.tree(self.contents / "usr"), installed.tree(prefix))
        beside = {path.name for path in self.contents.iterdir()}
        self.assertEqual(beside, {"DEBIAN", "usr"})

    def test_its_files_belong_to_root_and_only_root_may_write_them(self):
        for line in run("dpkg-deb", "--contents", self.file).splitlines():
            self.assertRegex(line, r"^(?:[d-]rw[x-]r-[x-]r-[x-]|lrwxrwxrwx) root/root ")

    def test_it_tells_other_packages_which_one_has_the_library(self):
        shlibs = (self.contents / "DEBIAN/shlibs").read_text()
        self.assertEqual(shlibs.split(), ["libshmem", "0", "shmem", "(>=", f"{VERSION})"])

    def test_its_programs_run(self):
        programs = self.contents / "usr/bin"
        output = run(programs / "shmemrun", "-n", "2", programs / "shmem-bench", "--version")
        self.assertEqual(output, f"shmem-bench {VERSION}\n")

    def make_root(self):
        """A system of its own, in which the packages are installed that this one depends on, as they are here."""
        root = self.folder / "root"
        database = root / "var/lib/dpkg"
        (database / "updates").mkdir(parents=True)
        (database / "info").mkdir()
        names = re.findall(r"(\S+) \(", self.field("Depends"))
        (database / "status").write_text(run("dpkg-query", "--status", *names))
        for name in run("dpkg-query", "--show", "--showformat=${binary:Package}\\n", *names).split():
            (database / "info" / f"{name}.list").touch()
        return root

    def test_it_installs_and_leaves_nothing_when_removed(self):
        root, tools, calls = self.make_root(), self.folder / "tools", self.folder / "calls"
        tools.mkdir()
        (tools / "ldconfig").write_text(f"#!/bin/sh\necho ldconfig >> {calls}\n")
        (tools / "ldconfig").chmod(0o755)
        # The package's scripts run outside of `root`, which has no shell, and meet this ldconfig.
        path = {"PATH": f"{tools}:{installed.ENVIRONMENT['PATH']}"}
        dpkg = ["dpkg", f"--root={root}", "--force-not-root", "--force-script-chrootless", "--log=/dev/null"]

        run(*dpkg, "--install", self.file, environment=path)
        self.assertTrue((root / "usr/bin/shmemrun").exists())
        self.assertEqual(calls.read_text(), "ldconfig\n")

        run(*dpkg, "--purge", "shmem", environment=path)
        self.assertEqual(calls.read_text(), "ldconfig\n" * 2)
        self.assertEqual({path for path in installed.tree(root) if not path.startswith("var/lib/dpkg")}, {"var", "var/lib"})
        left = installed.tree(root / "var/lib/dpkg/info")
        self.assertEqual([name for name in left if name.startswith("shmem.")], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: Apache-2.0
"""shmem_init in a process whose SHMEM_JOB_ variables no launcher has set: an error, never a crash."""

import fcntl
import os
import pathlib
import re
import struct
import subprocess

import environment
from environment import PATIENCE, PROBE, EnvironmentTest

MIB = 1 << 20
JOB = 0x0123456789ABCDEF
MAGIC = int.from_bytes(b"SHMEMJOB", "little")
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src/core/job.hpp"
VERSION = int(re.search(r"kJobVersion = (\d+);", SOURCE.read_text())[1])
WINDOW_BASE = 64  # where the header has it
HOSTILE_NUMBERS = (1, 4095, 4096, (2 << 20) + 1, 1 << 31, 1 << 32, 1 << 47, (1 << 63) - 1, 1 << 63, (1 << 64) - 4096,
                   (1 << 64) - (2 << 20), (1 << 64) - 1)


class Forged(EnvironmentTest):
    CONTROL, STRIDE = 4 * MIB, 64 * MIB

    def make(self, *, magic=MAGIC, version=VERSION, n_pes=1, job=JOB, control=CONTROL, stride=STRIDE, window=0,
             length=CONTROL + 2 * STRIDE):
        descriptor = os.memfd_create("forged", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self.addCleanup(os.close, descriptor)
        os.ftruncate(descriptor, length)
        header = struct.pack("<QIIQQQ", magic, version, n_pes % (1 << 32), job, control, stride)
        os.pwrite(descriptor, header, 0)
        if window:
            os.pwrite(descriptor, struct.pack("<Q", window), WINDOW_BASE)
        return descriptor

    def join(self, descriptor, **changes):
        reader, writer = os.pipe()
        variables = {"PE": 0, "FILE": descriptor, "ID": f"{JOB:016x}", "LAUNCHER": os.getpid(), "LIFE": reader,
                     "BIND": "none"} | changes
        settings = {f"SHMEM_JOB_{name}": str(value) for name, value in variables.items()}
        inherited = [number for number in (descriptor, reader) if isinstance(number, int) and number > 2]
        try:
            done = subprocess.run([PROBE], env=os.environ | settings, pass_fds=inherited, capture_output=True,
                                  text=True, timeout=PATIENCE)
        finally:
            os.close(writer)
            os.close(reader)
        return done

    def assert_error(self, done, says=""):
        self.assert_refused(done, "shmem: ")
        self.assertIn(" shmem_init: ", done.stderr)
        self.assertIn(says, done.stderr)


class Headers(Forged):
    def test_one_that_is_right_is_accepted(self):
        self.assert_works(self.join(self.make()), 1)

    def test_sizes_that_do_not_fit_are_refused(self):
        for field in ("control", "stride"):
            for value in (0, *HOSTILE_NUMBERS):
                with self.subTest(field=field, value=value):
                    self.assert_error(self.join(self.make(**{field: value})), "the header of the node file is damaged")

    def test_numbers_of_pes_that_do_not_fit_are_refused(self):
        for n_pes in (0, -1, 2, 1 << 20, (1 << 31) - 1, -(1 << 31)):
            with self.subTest(n_pes=n_pes):
                self.assert_error(self.join(self.make(n_pes=n_pes)), "the header of the node file is damaged")

    def test_products_that_overflow_are_refused(self):
        for n_pes, stride in ((2, 1 << 63), (4, 1 << 62), (1 << 20, 1 << 44), ((1 << 31) - 1, 1 << 33)):
            with self.subTest(n_pes=n_pes, stride=stride):
                self.assert_error(self.join(self.make(n_pes=n_pes, stride=stride)), "is damaged")

    def test_files_that_are_too_short_are_refused(self):
        for length in (0, 8, 100, 4096, self.CONTROL, self.CONTROL + 2 * self.STRIDE - 1):
            with self.subTest(length=length):
                descriptor = self.make()
                os.ftruncate(descriptor, length)
                self.assert_error(self.join(descriptor))

    def test_another_version_is_refused(self):
        for version in (0, VERSION + 1, (1 << 32) - 1):
            with self.subTest(version=version):
                self.assert_error(self.join(self.make(version=version)), "a launcher of another version")

    def test_another_magic_or_job_is_refused(self):
        self.assert_error(self.join(self.make(magic=MAGIC + 1)), "is not the node file of job")
        self.assert_error(self.join(self.make(job=JOB + 1)), "is not the node file of job")

    def test_addresses_that_cannot_be_had_are_not_taken(self):
        for window in (*HOSTILE_NUMBERS, 0x400000, 0x7FFF_FFFF_E000, 0xFFFF_8000_0000_0000):
            with self.subTest(window=hex(window)):
                self.assert_works(self.join(self.make(window=window)), 1)

    def test_a_file_that_cannot_be_written_is_refused(self):
        descriptor = self.make()
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
        self.assert_error(self.join(descriptor), "cannot map the control pages")


class Variables(Forged):
    def test_numbers_of_pes_outside_the_job_are_refused(self):
        for number in (1, -1, 1 << 30, -(1 << 31)):
            with self.subTest(number=number):
                self.assert_error(self.join(self.make(), PE=number), f"SHMEM_JOB_PE={number} is not a PE of this job")

    def test_descriptors_of_other_things_are_refused(self):
        with open("/dev/zero", "r+b") as zero, open("/proc/self/maps", "rb") as maps, open(__file__, "rb") as text:
            for descriptor in (-1, 0, 1, 2, 99, 1 << 30, zero.fileno(), maps.fileno(), text.fileno()):
                with self.subTest(descriptor=descriptor):
                    inherited = descriptor if descriptor in (zero.fileno(), maps.fileno(), text.fileno()) else None
                    done = self.join(inherited, FILE=descriptor)
                    self.assert_error(done, f"descriptor {descriptor} is not the node file of job")

    def test_processes_that_are_no_launcher_are_refused(self):
        for process in (1, os.getppid(), 1 << 22, (1 << 31) - 1):
            with self.subTest(process=process):
                self.assert_error(self.join(None, FILE=99, LAUNCHER=process), "is not the node file of job")
        self.assert_error(self.join(self.make(), LAUNCHER=0), "is not a process")

    def test_a_life_line_that_is_none_is_refused_or_does_without(self):
        descriptor = self.make()
        self.assert_error(self.join(descriptor, LIFE=descriptor), "is not the read end of the launcher's pipe")
        self.assert_works(self.join(self.make(), LIFE=-1), 1)

    def test_values_that_are_no_numbers_are_refused(self):
        for name in ("PE", "FILE", "ID", "LAUNCHER", "LIFE", "BIND"):
            for value in ("", "x", "1x", "9" * 4000, "-", "%n%s", "\N{SNOWMAN}"):
                with self.subTest(name=name, value=value[:8]):
                    self.assert_error(self.join(self.make(), **{name: value}), f"SHMEM_JOB_{name}=")


if __name__ == "__main__":
    environment.main()

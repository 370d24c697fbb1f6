# SPDX-License-Identifier: Apache-2.0
"""What a job does under small limits (ulimit)."""

import os
import subprocess
import tempfile

import environment
from environment import NOBODY, PROBE, SHMEMRUN, EnvironmentTest, as_user, shell


class Descriptors(EnvironmentTest):
    def test_sixty_four_suffice_for_eight_pes(self):
        self.assert_works(self.run_in(shell("ulimit -n 64"), "-n", 8, PROBE), 8)

    def test_sixty_four_do_not_suffice_for_forty_pes_which_one_line_says(self):
        # The launcher needs fewer where both streams of a PE end in the same place: here they do not.
        self.assert_refused(
            self.run_in(shell("ulimit -n 64"), "-n", 40, PROBE),
            "shmemrun: 40 PEs need 144 descriptors in the launcher, and its hard limit is 64: raise it (ulimit -Hn) "
            "or start fewer PEs\n",
        )

    def test_a_soft_limit_is_raised_in_the_launcher_and_kept_in_the_pes(self):
        self.assert_works(self.run_in(shell("ulimit -Sn 64"), "-n", 40, PROBE), 40)
        job = self.run_in(shell("ulimit -Sn 64"), "-n", 40, "sh", "-c", "ulimit -Sn")
        self.assertEqual(job.stdout, "64\n" * 40)

    def test_the_pes_need_few(self):
        self.assert_works(self.run_job("-n", 2, *shell("ulimit -n 8"), PROBE), 2)


class Addresses(EnvironmentTest):
    def test_whatever_the_limit_the_job_works_or_one_line_says_why_not(self):
        works = 0
        for kib in (*range(3_000, 12_000, 50), 16_000, 20_000, 30_000, 50_000, 100_000, 1_000_000):
            with self.subTest(kib=kib):
                place = shell(f"ulimit -v {kib}")
                if self.run_alone([*place, SHMEMRUN, "--version"]).returncode not in (0, 1):
                    continue  # the system cannot even load it
                job = self.run_in(place, "-n", 4, PROBE)
                if job.returncode == 0:
                    self.assert_works(job, 4)
                    works += 1
                else:
                    self.assert_refused(job, "(ulimit -v)")
        self.assertGreaterEqual(works, 2)

    def test_a_heap_that_would_exceed_the_limit_is_refused_with_one_warning(self):
        job = self.run_in(shell("ulimit -v 1000000"), "-n", 4, PROBE, "allocate", 200)
        self.assert_works(job, 4, prints=["refused"], says="no symmetric memory for 200 MiB")

    def test_a_limit_in_the_pe_alone_is_named(self):
        job = self.run_job("-n", 1, *shell("ulimit -v 100000"), PROBE)
        self.assertEqual(job.returncode, 1)
        self.assertIn("(ulimit -v is 102400000 bytes: raise it)", job.stderr)


class FileSize(EnvironmentTest):
    def test_too_small_a_limit_is_one_line_and_no_signal(self):
        for blocks in (0, 1, 1_000):
            with self.subTest(blocks=blocks):
                self.assert_refused(self.run_in(shell(f"ulimit -f {blocks}"), "-n", 4, PROBE), "(ulimit -f)")

    def test_a_medium_limit_makes_smaller_heaps(self):
        place = shell("ulimit -f 200000")  # blocks of 512 bytes
        self.assert_works(self.run_in(place, "-n", 4, PROBE, "allocate", 8), 4, prints=["allocated"])
        job = self.run_in(place, "-n", 4, PROBE, "allocate", 64)
        self.assert_works(job, 4, prints=["refused"], says="no symmetric memory for 64 MiB")

    def test_no_limit_of_a_pe_matters(self):
        job = self.run_job("-n", 2, *shell("ulimit -f 0"), PROBE, "allocate", 16)
        self.assert_works(job, 2, prints=["allocated"])

    def test_output_beyond_the_limit_ends_the_job_with_one_line(self):
        with tempfile.NamedTemporaryFile() as output:
            job = self.run_in(shell("ulimit -f 40000"), "-n", 2, "yes", stdout=output, capture_output=False,
                              stderr=subprocess.PIPE)
            self.assert_refused(job, "shmemrun: cannot write output: File too large")
            self.assertEqual(os.stat(output.name).st_size, 40_000 * 512)


class Others(EnvironmentTest):
    def test_no_locked_memory_no_core_file_and_any_stack_work(self):
        for limit in ("-l 0", "-c 0", "-s 64", "-s unlimited"):
            with self.subTest(limit=limit):
                job = self.run_in(shell(f"ulimit {limit}"), "-n", 4, PROBE, "allocate", 16)
                self.assert_works(job, 4, prints=["allocated"])

    def test_too_few_processes_are_one_line_and_leave_none(self):
        self.need_root()  # who has the right to exceed this limit
        job = self.run_in([*as_user(NOBODY), "prlimit", "--nproc=3"], "-n", 8, PROBE)
        self.assert_refused(job, "of 8: the limit on processes is reached: raise ulimit -u of this user, or pids.max "
                            "of the control group\n")


if __name__ == "__main__":
    environment.main()

# SPDX-License-Identifier: Apache-2.0
"""What a job says about its settings at the start: once, by PE 0, whatever the number of PEs."""

import os
import subprocess

import launcher
from launcher import JOINER, LauncherTest


class Announcements(LauncherTest):
    def told_by(self, *variables, pes=3):
        """The lines on stderr of a job with these variables that succeeds."""
        environment = [part for variable in variables for part in ("--env", variable)]
        job = self.run_job(*environment, "-n", pes, JOINER)
        self.assertEqual(job.returncode, 0, job.stderr)
        return job.stderr.splitlines()

    def refused(self, variable):
        job = self.run_job("--env", variable, "-n", 3, JOINER)
        self.assertEqual(job.returncode, 1)
        return job.stderr

    def test_a_job_with_right_settings_is_silent(self):
        self.assertEqual(self.told_by("SHMEM_SYMMETRIC_SIZE=1m", "SHMEM_CHECK=0"), [])

    def test_a_misspelt_setting_is_named_once_with_the_right_name(self):
        self.assertEqual(self.told_by("SHMEM_SYMETRIC_SIZE=1g"),
                         ["shmem: PE 0: warning: SHMEM_SYMETRIC_SIZE is not a setting of this library: "
                          "did you mean SHMEM_SYMMETRIC_SIZE?"])

    def test_other_unknown_variables_share_a_line(self):
        self.assertEqual(self.told_by("SHMEM_BOUNCE_SIZE=1", "SHMEM_OFI_PROVIDER=x", "SHMEM_HOME=/opt"),
                         ["shmem: PE 0: warning: SHMEM_BOUNCE_SIZE, SHMEM_OFI_PROVIDER are not settings of this "
                          "library: shmem-info lists all settings"])

    def test_a_program_without_launcher_warns_too(self):
        alone = subprocess.run([JOINER], env=os.environ | {"SHMEM_TIMOUT": "1"}, capture_output=True, text=True,
                               check=True)
        self.assertEqual(alone.stderr, "shmem: PE 0: warning: SHMEM_TIMOUT is not a setting of this library: "
                                       "did you mean SHMEM_TIMEOUT?\n")

    def test_version_and_info_are_printed_by_pe_0_alone(self):
        lines = self.told_by("SHMEM_VERSION=", "SHMEM_INFO=1", "SHMEM_SPIN_TIME=2500")
        self.assertTrue(all(line.startswith("shmem: PE 0: SHMEM") for line in lines), lines)
        self.assertRegex(lines[0], r"^shmem: PE 0: SHMEM \d+\.\d+\.\d+, written for OpenSHMEM 1\.6$")
        self.assertEqual(sum("SHMEM_SPIN_TIME = 2500 (environment): takes microseconds. " in line for line in lines),
                         1)
        self.assertEqual(sum("SHMEM_HUGE_PAGES = 1 (default): takes 0 or 1. " in line for line in lines), 1)

    def test_debugging_messages_come_from_every_pe(self):
        lines = self.told_by("SHMEM_DEBUG=1")
        for pe in range(3):
            self.assertEqual(sum(line.startswith(f"shmem: PE {pe}: debug: shmem_init: process ") for line in lines), 1)
            self.assertEqual(lines.count(f"shmem: PE {pe}: debug: shmem_finalize: has left the job"), 1)

    def test_a_cap_that_is_no_size_is_an_error_that_says_what_would_be(self):
        for value in ("abc", "-1"):
            self.assertIn(f"shmemrun: SHMEM_SYMMETRIC_SIZE={value}: it must be a non-negative number with an "
                          "optional suffix k, m, g or t, such as 512m or 1.5g\n",
                          self.refused(f"SHMEM_SYMMETRIC_SIZE={value}"))

    def test_a_setting_on_which_addresses_depend_must_be_the_same_everywhere(self):
        for setting in ("SHMEM_CHECK=1", "SHMEM_SYMMETRIC_SIZE=1g"):
            job = self.run_job("-n", 2, "sh", "-c", f'[ "$SHMEM_JOB_PE" = 0 ] || export {setting}; exec {JOINER}')
            self.assertEqual(job.returncode, 1)
            self.assertIn(f"{setting.split('=')[0]} differs between PEs: ", job.stderr)

    def test_a_cap_beyond_the_machine_is_clipped_with_one_warning(self):
        lines = self.told_by("SHMEM_SYMMETRIC_SIZE=100T")
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"^shmem: PE 0: warning: SHMEM_SYMMETRIC_SIZE is 100 TiB, more than this machine can "
                                   r"hold: the heap of each PE is limited to \d")


if __name__ == "__main__":
    launcher.main()

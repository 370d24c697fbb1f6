# SPDX-License-Identifier: Apache-2.0
"""Many short jobs one after the other: each ends with status 0 and says nothing on stderr."""

import os
import subprocess
import unittest

SHMEMRUN = os.environ["SHMEMRUN"]
HELLO = os.environ["HELLO"]
TIMES = int(os.environ["TIMES"])


class RepeatedJobs(unittest.TestCase):
    def check(self, pes, times):
        for _ in range(times):
            job = subprocess.run([SHMEMRUN, "-n", str(pes), "--timeout", "60", HELLO], capture_output=True, text=True)
            self.assertEqual((job.returncode, job.stderr), (0, ""))
            self.assertEqual(len(job.stdout.splitlines()), pes)

    def test_one_pe(self):
        self.check(1, TIMES)

    def test_two_pes(self):
        self.check(2, TIMES)

    def test_four_pes(self):
        self.check(4, TIMES)

    def test_eight_pes(self):
        self.check(8, TIMES)

    def test_sixty_four_pes(self):
        self.check(64, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: Apache-2.0
"""A job whose PEs do not all come to shmem_init ends and says which are missing, and why."""

import re
import socket
import subprocess

import launcher
from launcher import JOINER, LauncherTest, ask_until

HOST = socket.gethostname()
NUMBER = "$SHMEM_JOB_PE"
OTHERS = "; the other 2 PEs were ended"


class Missing(LauncherTest):
    """PE 0 is the one that does not come."""

    def start(self, script):
        """Starts a job, and returns when the others wait for PE 0, which goes on when its input ends."""
        script = f"if [ {NUMBER} = 0 ]; then echo ready; read line; {script}; fi; exec {JOINER}"
        job = self.start_job("-n", 3, "sh", "-c", script, stdin=subprocess.PIPE)
        self.addCleanup(job.stdin.close)
        self.assertEqual(job.stdout.readline(), "ready\n")
        missing, others = "PE 0: has not called shmem_init yet", "PE 1-2: [0-9.]+ s in shmem_init, waiting for PE 0"
        ask_until(job, missing)
        while not re.search(others, job.stderr.readline()):
            ask_until(job, missing)
        return job

    def assert_missing(self, job, status, why):
        self.assertEqual(job.wait(), status)
        last = job.stderr.read().splitlines()[-1]
        self.assertEqual(last, f"shmemrun: 2 of 3 PEs arrived in shmem_init, missing PE 0 ({why}")

    def test_because_it_exited(self):
        for status, of_job in ((0, 1), (3, 3)):
            with self.subTest(status=status):
                job = self.start(f"exit {status}")
                job.stdin.close()
                why = f"exited with status {status} before shmem_init)"
                self.assert_missing(job, of_job, why + OTHERS)

    def test_because_it_was_killed(self):
        job = self.start("kill -SEGV $$")
        job.stdin.close()
        why = "was killed by signal 11 (Segmentation fault) before shmem_init)"
        self.assert_missing(job, 139, why + OTHERS)

    def test_because_it_takes_longer_than_the_limit(self):
        job = self.run_job("-n", 3, "--env", "SHMEM_START_TIMEOUT=1", JOINER, "sleep-before-init")
        self.assertEqual(job.returncode, 1)
        line = rf"^shmemrun: 2 of 3 PEs arrived in shmem_init, missing PE 1 \(still starting on host {HOST}\)"
        self.assertRegex(job.stderr, line + r" after 1 s \(SHMEM_START_TIMEOUT\); 3 PEs were ended\n$")


class Present(LauncherTest):
    def test_is_a_pe_that_comes_late(self):
        job = self.run_job("-n", 3, "sh", "-c", f"[ {NUMBER} = 2 ] && sleep 2; exec {JOINER}")
        self.assertEqual((job.returncode, job.stderr), (0, ""))

    def test_is_a_pe_that_comes_late_behind_a_wrapper_that_has_ended(self):
        script = f"[ {NUMBER} = 2 ] && sleep 3; exec {JOINER}"
        job = self.run_job("-n", 3, "setsid", "sh", "-c", script)
        self.assertEqual((job.returncode, job.stderr), (0, ""))

    def test_need_not_be_who_never_calls_init(self):
        job = self.run_job("-n", 3, "--env", "SHMEM_START_TIMEOUT=0.2", "sleep", 1)
        self.assertEqual((job.returncode, job.stderr), (0, ""))


if __name__ == "__main__":
    launcher.main()

# SPDX-License-Identifier: Apache-2.0
"""How PEs may end, after shmem_init: the right status, the right message, nothing left."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

import launcher
from launcher import JOINER, LauncherTest

ENDER = os.environ["ENDER"]
HOST = socket.gethostname()
OTHERS = "; the other 2 PEs were ended\n"


class OfOnePe(LauncherTest):
    # While the others wait for it.

    def assert_end(self, how, status, line, *wrapper):
        job = self.run_job("-n", 3, *wrapper, ENDER, how)
        own = [text for text in job.stderr.splitlines(True) if text.startswith("shmemrun:")]
        self.assertEqual((job.returncode, own), (status, [f"shmemrun: PE 1 on {HOST} {line}{OTHERS}"]))
        return job

    def test_by_exit(self):
        self.assert_end("exit-3", 3, "exited with status 3")

    def test_by_exit_with_status_0(self):
        self.assert_end("exit-0", 1, "exited with status 0 without shmem_finalize, while all others were waiting")

    def test_by_underscore_exit(self):
        self.assert_end("_exit-3", 3, "exited with status 3")

    def test_by_underscore_exit_with_status_0(self):
        self.assert_end("_exit-0", 1, "exited with status 0 without shmem_finalize, while all others were waiting")

    def test_by_abort(self):
        self.assert_end("abort", 134, "was killed by signal 6 (Aborted)")

    def test_by_a_segmentation_fault(self):
        self.assert_end("segfault", 139, "was killed by signal 11 (Segmentation fault)")

    def test_by_an_exception(self):
        job = self.assert_end("throw", 134, "was killed by signal 6 (Aborted)")
        self.assertIn("thrown by the program", job.stderr)

    def test_by_an_error_of_the_library_that_is_not_caught(self):
        job = self.assert_end("mistake", 134, "was killed by signal 6 (Aborted)")
        self.assertIn("what():  shmem::put: pe = 99 is out of range: this job has PEs 0 to 2\n", job.stderr)

    def test_by_a_kill(self):
        job = self.run_job("-n", 3, ENDER, "kill")
        self.assertEqual(job.returncode, 137)
        # Another test may run out of memory at the same time.
        line = rf"shmemrun: PE 1 on {re.escape(HOST)} was killed by signal 9 \(Killed\).*{OTHERS}"
        self.assertRegex(job.stderr, line)

    def test_by_a_kill_behind_a_wrapper_that_hides_it(self):
        for tail in ("true", "sleep 1000"):
            with self.subTest(tail=tail):
                job = self.run_job("-n", 3, "sh", "-c", f'"$@"; {tail}', "sh", ENDER, "kill")
                self.assertEqual(job.returncode, 1)
                line = rf"shmemrun: PE 1 on {re.escape(HOST)} \(process \d+\) ended without shmem_finalize.*{OTHERS}"
                self.assertRegex(job.stderr, line)

    def test_by_exit_behind_a_wrapper_that_stays(self):
        line = "exited without shmem_finalize, while all others were waiting"
        self.assert_end("exit-0", 1, line, "sh", "-c", '"$@"; sleep 1000', "sh")

    def test_of_a_child_that_the_pe_forked_is_its_own_affair(self):
        job = self.run_job("-n", 3, ENDER, "fork", "all")
        self.assertEqual((job.returncode, job.stderr), (0, ""))


    def test_with_a_share_domain_that_still_needs_it(self):
        job = self.run_job("-n", 3, ENDER, "leave-domain")
        self.assertEqual((job.returncode, job.stderr), (1, "shmemrun: PE 0 waits for PE 1 on "
                         f"{HOST}, which has ended without making the same call of their share domain{OTHERS}"))


class OfAllPes(LauncherTest):
    WARNING = "shmemrun: warning: PEs 0-2 ended without shmem_finalize: call it last in every PE\n"

    def test_with_status_0_without_finalize_is_a_warning(self):
        for how in ("exit-0", "_exit-0"):
            for wrapper in ((), ("setsid", "-w"), ("timeout", "1000")):
                with self.subTest(how=how, wrapper=wrapper):
                    if how == "_exit-0" and wrapper:
                        continue  # then nobody knows how the PE ended
                    job = self.run_job("-n", 3, *wrapper, ENDER, how, "all")
                    self.assertEqual((job.returncode, job.stderr), (0, self.WARNING))

    def test_by_an_exit_handler_that_finalizes_is_a_good_end(self):
        job = self.run_job("-n", 3, ENDER, "finalize-at-exit")
        self.assertEqual((job.returncode, job.stderr), (0, ""))
        alone = subprocess.run([ENDER, "finalize-at-exit"], capture_output=True, text=True, timeout=launcher.PATIENCE)
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))

    def test_with_a_failure_is_the_failure(self):
        job = self.run_job("-n", 3, ENDER, "exit-3", "all")
        self.assertEqual(job.returncode, 3)
        self.assertRegex(job.stderr, rf"shmemrun: PE [0-2] on {re.escape(HOST)} exited with status 3")

    def test_is_told_by_the_library_where_there_is_no_launcher(self):
        alone = subprocess.run([ENDER, "exit-0"], capture_output=True, text=True, timeout=launcher.PATIENCE)
        warning = "shmem: PE 0: warning: ended without shmem_finalize: call it last\n"
        self.assertEqual((alone.returncode, alone.stderr), (0, warning))
        for how in ("", "fork", "global-exit-0"):
            alone = subprocess.run([ENDER, how], capture_output=True, text=True, timeout=launcher.PATIENCE)
            self.assertEqual((alone.returncode, alone.stderr), (0, ""))


class ByGlobalExit(LauncherTest):
    def test_of_one_pe_gives_its_status_and_ends_the_others(self):
        job = self.run_job("-n", 3, ENDER, "global-exit")
        self.assertEqual(job.returncode, 11)
        self.assertEqual(job.stderr, f"shmemrun: PE 1 on {HOST} called shmem_global_exit(11){OTHERS}")
        self.assertEqual(job.stdout, "exit handlers ran\n")

    def test_with_status_0_is_a_good_end(self):
        job = self.run_job("-n", 3, ENDER, "global-exit-0")
        self.assertEqual((job.returncode, job.stdout, job.stderr), (0, "exit handlers ran\n", ""))

    def test_of_several_pes_at_once_takes_the_first(self):
        job = self.run_job("-n", 5, ENDER, "global-exit", "all")
        self.assertIn(job.returncode, range(10, 15))
        line = rf"^shmemrun: PE {job.returncode - 10} on \S+ called shmem_global_exit\({job.returncode}\)"
        self.assertRegex(job.stderr, line)

    def test_behind_a_wrapper(self):
        for tail in ("true", "sleep 1000"):
            with self.subTest(tail=tail):
                job = self.run_job("-n", 3, "sh", "-c", f'"$@"; {tail}', "sh", ENDER, "global-exit")
                self.assertEqual(job.returncode, 11)
                self.assertIn(f"PE 1 on {HOST} called shmem_global_exit(11)", job.stderr)

    def test_without_a_launcher_gives_the_status(self):
        alone = subprocess.run([ENDER, "global-exit"], capture_output=True, timeout=launcher.PATIENCE)
        self.assertEqual((alone.returncode, alone.stderr), (10, b""))


class ByLackOfMemory(LauncherTest):
    def test_names_the_control_group(self):
        folder = memory_group(64 << 20)
        if folder is None:
            self.skipTest("cannot make a control group for memory here")
        self.addCleanup(remove_group, folder)
        enter = f'echo $$ >{folder}/cgroup.procs && exec "$@"'
        job = self.run_job("-n", 3, ENDER, "use-all-memory", shell=enter)
        self.assertEqual(job.returncode, 137)
        reason = f"was killed by signal 9 (Killed): out of memory in control group {folder}"
        self.assertEqual(job.stderr, f"shmemrun: PE 1 on {HOST} {reason}{OTHERS}")


def memory_group(limit):
    """A new control group of this process's, of version 1 or 2, or None where that is not allowed."""
    for root, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        folder = pathlib.Path(root, f"shmem-test-{os.getpid()}")
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / file).write_text(str(limit))
            swap = folder / "memory.swap.max"
            if swap.exists():
                swap.write_text("0")
            return folder
        except OSError:
            folder.rmdir()
    return None


def remove_group(folder):
    launcher.eventually(lambda: not (folder / "cgroup.procs").read_text())
    folder.rmdir()


if __name__ == "__main__":
    launcher.main()

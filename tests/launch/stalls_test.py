# SPDX-License-Identifier: Apache-2.0
"""Without progress shmemrun tells what every PE waits for: by itself, when asked, or as the job's end."""

import os
import re
import signal
import time

import launcher
from launcher import LauncherTest, ask_until, eventually, state_of

WAITER = os.environ["WAITER"]
ENDER = os.environ["ENDER"]
WAIT = r"shmemrun:   PE 0: [0-9.]+ s in shmem_barrier_all, waiting for PE 1\n"
OTHER = r"shmemrun:   PE 1: running\n"


def stalled(seconds):
    return rf"shmemrun: no PE has made progress for {seconds} s:\n{WAIT}{OTHER}"


class Reports(LauncherTest):
    def report(self, *arguments, **settings):
        pairs = [("--env", f"SHMEM_{name.upper()}={value}") for name, value in settings.items()]
        return self.start_job("-n", 2, *sum(pairs, ()), *arguments)

    def read_until(self, job, pattern):
        text = ""
        while not re.search(pattern, text):
            line = job.stderr.readline()
            self.assertTrue(line, f"{pattern!r} is not in {text!r}")
            text += line
        return text

    def test_come_at_doubling_intervals(self):
        job = self.report(WAITER, "shmem_barrier_all", stall_report=0.5)
        text = self.read_until(job, stalled(0.5) + stalled(1) + stalled(2))
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(), 143)
        self.assertTrue(text.startswith("shmemrun: no PE has made progress for 0.5 s:\n"))

    def test_do_not_come_while_a_pe_computes(self):
        script = f"[ $SHMEM_JOB_PE = 1 ] && timeout 3 sh -c 'while :; do :; done'; exec {WAITER}"
        job = self.run_job("-n", 2, "--env", "SHMEM_STALL_REPORT=1", "sh", "-c", script)
        self.assertEqual((job.returncode, job.stderr), (0, ""))

    def test_do_not_come_for_programs_that_do_not_wait_in_the_library(self):
        for program in (("sleep", 2), (WAITER, "sleep")):
            with self.subTest(program=program):
                job = self.run_job("-n", 2, "--env", "SHMEM_STALL_REPORT=1", *program)
                self.assertEqual((job.returncode, job.stderr), (0, ""))

    def test_do_not_count_the_time_in_which_the_job_was_stopped(self):
        job = self.report(WAITER, "shmem_barrier_all", timeout=2)
        self.assertEqual(job.stdout.readline(), "joined\n")
        self.assertEqual(job.stdout.readline(), "joined\n")
        job.send_signal(signal.SIGTSTP)
        eventually(lambda: state_of(job.pid) == "T")
        time.sleep(2.5)
        continued = time.monotonic()
        job.send_signal(signal.SIGCONT)
        self.assertEqual(job.wait(), 124)
        self.assertGreaterEqual(time.monotonic() - continued, 2)

    def test_are_not_made_where_they_are_switched_off(self):
        job = self.run_job("-n", 2, "--env", "SHMEM_STALL_REPORT=0", "--timeout", 2, WAITER, "shmem_barrier_all")
        self.assertNotIn("progress", job.stderr)


class TimeLimit(LauncherTest):
    def test_ends_a_deadlock_with_124_and_the_table(self):
        job = self.run_job("-n", 2, "--env", "SHMEM_TIMEOUT=1", WAITER, "shmem_barrier_all")
        self.assertEqual(job.returncode, 124)
        line = r"shmemrun: no PE has made progress for 1 s \(SHMEM_TIMEOUT\); 2 PEs were ended\n"
        self.assertRegex(job.stderr, rf"^{line}{WAIT}{OTHER}$")

    def test_does_not_come_early(self):
        began = time.monotonic()
        job = self.run_job("-n", 2, "--env", "SHMEM_TIMEOUT=3", WAITER, "shmem_barrier_all")
        self.assertEqual(job.returncode, 124)
        self.assertGreaterEqual(time.monotonic() - began, 3)

    def test_comes_from_the_launchers_own_environment_too(self):
        job = self.run_job("-n", 2, WAITER, "shmem_barrier_all", shell='SHMEM_TIMEOUT=0.5 exec "$@"')
        self.assertEqual(job.returncode, 124)

    def test_that_is_none_is_an_error_before_anything_starts(self):
        job = self.run_job("-n", 2, "--env", "SHMEM_TIMEOUT=soon", "echo", "started")
        self.assertEqual((job.returncode, job.stdout), (1, ""))
        self.assertEqual(job.stderr, "shmemrun: SHMEM_TIMEOUT=soon: it must be a number of seconds, such as 30 or "
                                     "0.5; 0 means no limit\n")


class Quit(LauncherTest):
    TABLE = rf"shmemrun: what the PEs are doing:\n{WAIT}{OTHER}"

    def test_prints_the_table_once_each_time_and_the_pes_survive(self):
        job = self.start_job("-n", 2, WAITER, "shmem_barrier_all")
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), "joined\n")
        ask_until(job, r"PE 0: .* in shmem_barrier_all")
        self.assertRegex(job.stderr.readline(), OTHER)
        job.send_signal(signal.SIGQUIT)
        self.assertRegex("".join(job.stderr.readline() for _ in range(3)), f"^{self.TABLE}$")
        self.assertEqual(len(self.pes()), 2)
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(), 143)
        self.assertEqual(job.stderr.read(), "")

    def test_works_where_the_shell_ignores_it_for_background_jobs(self):
        job = self.start_job("-n", 2, WAITER, "shmem_barrier_all", preexec_fn=ignore_quit)
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), "joined\n")
        job.send_signal(signal.SIGQUIT)
        self.assertEqual(job.stderr.readline(), "shmemrun: what the PEs are doing:\n")
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(), 143)

    def test_of_a_program_that_does_not_use_the_library_says_so(self):
        job = self.start_job("-n", 2, "sh", "-c", "echo ready; exec sleep 1000")
        self.assertEqual(job.stdout.readline(), "ready\n")
        job.send_signal(signal.SIGQUIT)
        self.assertEqual([job.stderr.readline() for _ in range(2)],
                         ["shmemrun: what the PEs are doing:\n", "shmemrun:   no PE has called shmem_init\n"])
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(), 143)

    def test_typed_on_a_terminal_reaches_the_launcher_alone(self):
        job = self.start_in_terminal("-n", 2, WAITER, "shmem_barrier_all")
        job.expect("joined\r\njoined\r\n")
        for count in (1, 2):
            job.type("\x1c")
            job.expect("what the PEs are doing:\r\n" * count if count == 1 else "PE 1: running\r\n")
        self.assertEqual(len(self.pes()), 2)
        job.type("\x03")
        self.assertEqual(job.wait(), 130)
        self.assertEqual(job.seen.count("what the PEs are doing:"), 2)


def ignore_quit():
    signal.signal(signal.SIGQUIT, signal.SIG_IGN)


if __name__ == "__main__":
    launcher.main()

# SPDX-License-Identifier: Apache-2.0
"""Every function that waits says so, and for what: the table that shmemrun prints at its time limit."""

import os

import launcher
from launcher import LauncherTest

WAITER = os.environ["WAITER"]
WORD = r"the word at 0x[0-9a-f]+ \(byte 16 of the 800 bytes allocated at 0x[0-9a-f]+\)"


class Table(LauncherTest):
    def table(self, pes, function):
        job = self.run_job("-n", pes, "--timeout", 1, WAITER, function)
        self.assertEqual(job.returncode, 124, job.stderr)
        return job.stderr

    def test_collective_functions_wait_for_the_pes_that_have_not_come(self):
        for function in ("shmem_init", "shmem_finalize", "shmem_barrier_all", "shmem_sync_all", "shmem_malloc",
                         "shmem_calloc", "shmem_align", "shmem_realloc", "shmem_free"):
            with self.subTest(function=function):
                table = self.table(3, function)
                self.assertRegex(table, rf"PE 0: [0-9.]+ s in {function}, waiting for PE 1-2\n")
                others = "has not called shmem_init yet" if function == "shmem_init" else "running"
                self.assertIn(f"PE 1-2: {others}\n", table)

    def test_a_word_is_shown_with_its_value_and_the_one_wanted(self):
        for function, wanted in (("shmem_signal_wait_until", ">= 4"), ("shmem_uint64_wait_until", "== 5")):
            with self.subTest(function=function):
                table = self.table(2, function)
                wait = rf"PE 0: [0-9.]+ s in {function}, waiting for {WORD} to be {wanted}; it is 3\n"
                self.assertRegex(table, wait)

    def test_a_word_in_a_shared_buffer_is_shown_with_the_buffer(self):
        wait = rf"PE 0: [0-9.]+ s in shmem_signal_wait_until, waiting for {WORD} to be == 6; it is 0\n"
        self.assertRegex(self.table(2, "shared word"), wait)

    def test_a_call_of_a_share_domain_waits_for_a_member(self):
        table = self.table(3, "shmemx_alloc_shared")
        self.assertRegex(table, r"PE 0: [0-9.]+ s in shmemx_alloc_shared, waiting for PE 1\n")

    def test_an_event_is_shown_with_its_number(self):
        table = self.table(2, "shmemx_wait_event")
        self.assertRegex(table, r"PE 0: [0-9.]+ s in shmemx_wait_event, waiting for a signal of event 7\n")


if __name__ == "__main__":
    launcher.main()

# SPDX-License-Identifier: Apache-2.0
"""Jobs whose PEs fail around shmem_init: each ends, with a status other than 0 and one message."""

import os
import re
import unittest

from soak import PATIENCE, SoakTest

FAILING = os.environ["FAILING"]
# How a PE fails, and the job's status then. Where a PE ends well, the others wait for it in vain.
STATUS = {"exit": 3, "_exit": 4, "abort": 134, "false": 1, "exit-well": 1, "true": 1, "sleep": 124}
SLOW = {"exit-well", "true", "sleep"}  # noticed only after a while


class FailingJobs(SoakTest):
    def draw_failures(self, chance, pes):
        """A failure for each PE that fails. One at least waits for those that end well."""
        failing = chance.sample(range(pes), chance.randint(1, pes))
        failures = {}
        for pe in failing:
            hows = [how for how in STATUS if how not in SLOW or (len(failing) < pes and chance.random() < 0.1)]
            failures[pe] = (chance.choice(["before", "during", "after"]), chance.choice(hows))
        return failures

    def fail_a_job(self, chance):
        pes = chance.choice([1, 2, 3, 5, 8])
        failures = self.draw_failures(chance, pes)
        hows = {how for _, how in failures.values()}
        arguments = [f"{pe}:{when}:{how}:{chance.randrange(3000)}" for pe, (when, how) in failures.items()]
        limit = 3 if "sleep" in hows else PATIENCE - 5
        job = self.start_launcher("-n", pes, "--timeout", limit, FAILING, *arguments)
        status, said = self.end_of(job)
        story = f"-n {pes} {' '.join(arguments)}: status {status}, {said!r}"
        self.assertIn(status, {STATUS[how] for how in hows}, story)
        messages = [line for line in said.splitlines() if not line.startswith("shmemrun:   ")]
        self.assertEqual(len(messages), 1, story)
        if status != STATUS["sleep"]:
            named = {int(pe) for pe in re.findall(r"PE (\d+)", messages[0])}
            self.assertTrue(named & failures.keys(), story)
        self.check_nothing_runs(0)

    def test_end_with_one_message(self):
        self.run_jobs(self.fail_a_job)
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)

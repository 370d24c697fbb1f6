# SPDX-License-Identifier: Apache-2.0
"""Jobs that are killed at a random moment, while others run: nothing stays, and the next job starts."""

import collections
import dataclasses
import os
import re
import signal
import sys
import tempfile
import time
import unittest

from soak import PATIENCE, SoakTest, below

CHURN = os.environ["CHURN"]
WORKS = ("join", "allocate", "synchronise", "signal", "event", "share", "everything")
WRAPPERS = {"": [], "sh": ["sh", "-c", '"$@"; true', "sh"], "setsid": ["setsid", "-w"]}
# On its host; or, when the others waited for it in shmem_init, in a list of those that are missing.
KILLED = re.compile(r"PE (\d+) (?:on \S+ |\()was killed by signal 9 \(Killed\)")


@dataclasses.dataclass
class Plan:
    pes: int
    work: str
    wrapper: str
    whom: str
    delay: float
    stops: bool  # some processes are stopped when the others are killed
    reader_left: bool  # nobody reads the job's output

    @staticmethod
    def draw(chance):
        plan = Plan(
            pes=chance.choice([1, 2, 3, 5, 8]),
            work=chance.choice(WORKS),
            wrapper=chance.choices(list(WRAPPERS), [8, 1, 1])[0],
            whom=chance.choice(["one", "all", "launcher", "launcher and one"]),
            delay=chance.uniform(0, 0.1),
            stops=chance.random() < 0.2,
            reader_left=chance.random() < 0.1,
        )
        if plan.wrapper and plan.whom == "one":
            plan.stops = False  # a stopped wrapper cannot tell that its program was killed
        return plan


def send(processes, number):
    for process in processes:
        try:
            os.kill(process.number, number)
        except ProcessLookupError:
            pass  # it was faster


class Bystanders:
    """Jobs that run beside those that are killed, and must not notice."""

    def __init__(self, test):
        self.test = test
        self.jobs = []
        self.ended = 0

    def keep(self, wanted, chance):
        """Lets `wanted` jobs run on, or new ones in the place of those that have ended."""
        for job in [job for job in self.jobs if job.poll() is not None]:
            self.check_end(job)
        while len(self.jobs) < wanted:
            work = [CHURN, chance.choice(WORKS), chance.randrange(1 << 30), 40]
            self.jobs.append(self.test.start_launcher("-n", chance.choice([2, 3]), "--timeout", 120, *work))

    def check_end(self, job):
        self.jobs.remove(job)
        self.ended += 1
        self.test.assertEqual(self.test.end_of(job), (0, ""), f"of the bystander {job.args}")

    def wait(self):
        while self.jobs:
            job = self.jobs[0]
            job.wait(timeout=PATIENCE)
            self.check_end(job)


class KilledJobs(SoakTest):
    def victims_of_one_kind(self, job, chance, whom):
        """Processes of PEs; where none runs its program yet, one that is about to."""
        while job.poll() is None:
            processes = below(job.pid)
            pes = [process for process in processes if process.pe() is not None]
            # A process group of its own, but no session: a PE.
            coming = [process for process in processes if process.group == process.number != process.session]
            if candidates := pes or coming:
                return candidates if whom == "all" else [chance.choice(candidates)]
        return []

    def strike(self, job, plan, chance):
        """Kills whom the plan says; returns the numbers of the PEs that were hit, -1 for one not known yet."""
        victims = [] if plan.whom == "launcher" else self.victims_of_one_kind(job, chance, plan.whom)
        hit = {-1 if (pe := process.pe()) is None else pe for process in victims}
        if plan.stops:
            send([process for process in below(job.pid) if process.pe() is not None and chance.random() < 0.5],
                 signal.SIGSTOP)
        kill_launcher_first = chance.random() < 0.5
        if "launcher" in plan.whom and kill_launcher_first:
            job.kill()
        send(victims, signal.SIGKILL)
        if "launcher" in plan.whom:
            job.kill()
        return hit

    def check_verdict(self, plan, hit, status, said):
        if plan.reader_left and status == 128 + signal.SIGPIPE:
            self.assertEqual(said, "")
            return
        messages = [line for line in said.splitlines() if line.startswith("shmemrun: ")]
        if plan.wrapper:  # it may hide the kill: what matters is that the job ends, and names the PE
            if status == 0 and plan.wrapper == "sh" and len(hit) == plan.pes:
                return
            self.assertNotEqual(status, 0)
            named = {int(pe) for pe in re.findall(r"PE (\d+)", "".join(messages))}
        else:
            self.assertEqual(status, 128 + signal.SIGKILL, said)
            self.assertEqual(said.splitlines(), messages)
            named = {int(pe) for pe in KILLED.findall(said)}
        self.assertEqual(len(messages), 1, said)
        self.assertTrue(named and (named & hit or -1 in hit), f"{said} names none of {hit}")

    def start(self, plan, chance, output):
        command = ["-n", plan.pes, *WRAPPERS[plan.wrapper], CHURN, plan.work, chance.randrange(1 << 30)]
        if not plan.reader_left:
            return self.start_launcher(*command, stdout=output)
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return self.start_launcher(*command, stdout=writer)
        finally:
            os.close(writer)

    def kill_a_job(self, chance):
        self.bystanders.keep(chance.choice([1, 2]), chance)
        plan = Plan.draw(chance)
        with tempfile.TemporaryFile("w+") as output:
            job = self.start(plan, chance, output)
            time.sleep(plan.delay)
            try:
                hit = self.strike(job, plan, chance)
                status, said = self.end_of(job)
                if "launcher" in plan.whom and status == -signal.SIGKILL:
                    self.check_nothing_runs(PATIENCE)
                else:  # the launcher may have been faster than its own kill
                    self.check_verdict(plan, hit, status, said)
                    self.check_nothing_runs(0)
            except AssertionError as failure:
                raise AssertionError(f"{plan}: {failure}") from failure
            output.seek(0)
            self.hits[plan.work, "in work" if output.read(1) else "in start-up or the first round"] += 1

    def test_leave_nothing_behind(self):
        self.bystanders = Bystanders(self)
        self.hits = collections.Counter()
        self.run_jobs(self.kill_a_job)
        self.bystanders.wait()
        for (work, when), count in sorted(self.hits.items()):
            print(f"  killed while at '{work}', {when}: {count}", file=sys.stderr)
        print(f"  jobs beside them: {self.bystanders.ended}", file=sys.stderr)
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)

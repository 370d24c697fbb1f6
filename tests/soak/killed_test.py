# SPDX-License-Identifier: Apache-2.0
"""Jobs that are killed at a random moment: no process and no file stays, and the next job runs."""

import os
import pathlib
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import launcher  # noqa: E402

CHURN = os.environ["CHURN"]
JOBS = int(os.environ["JOBS"])
SEED = int(os.environ.get("SEED", time.time_ns() % 1_000_000))


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it was faster


def shared_memory_files():
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


class KilledJobs(launcher.LauncherTest):
    def victims(self, job, whom):
        if whom == "launcher":
            return [job.pid]
        pes = self.pes()
        return pes if whom == "all" else pes[:1]

    def test_leave_nothing_behind(self):
        print(f"SEED={SEED}", file=sys.stderr)
        chance = random.Random(SEED)
        before = shared_memory_files()
        for _ in range(JOBS):
            whom = chance.choice(["one", "all", "launcher"])
            job = self.start_job("-n", chance.choice([1, 2, 3, 5]), CHURN)
            time.sleep(chance.uniform(0, 0.1))
            victims = self.victims(job, whom)
            for victim in victims:
                kill(victim)
            if not victims:  # not yet started: nothing was killed
                job.terminate()
            job.wait(timeout=launcher.PATIENCE)
            self.assertNotEqual(job.returncode, 0, f"after killing {whom}")
            launcher.eventually(lambda: not self.pes())
            self.assertEqual(shared_memory_files() - before, set())
        self.assertEqual(self.run_job("-n", 2, launcher.JOINER).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)

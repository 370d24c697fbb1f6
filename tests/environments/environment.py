# SPDX-License-Identifier: Apache-2.0
"""Runs jobs in places that lack something. A place is a list of words to put before a command."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
import launcher  # noqa: E402
from launcher import PATIENCE, SHMEMRUN, LauncherTest, eventually, main  # noqa: E402, F401

PROBE = os.environ["PROBE"]
PROTOCOL_TEST = os.environ["PROTOCOL_TEST"]
NOBODY = 65534
OTHER_USER = 65533


def shell(script):
    """In a shell that has run `script`."""
    return ["sh", "-c", f'{script} && exec "$@"', "sh"]


def namespaces(flags, script="true"):
    """In new namespaces (flags of unshare), after `script`."""
    return ["unshare", *flags.split(), *shell(script)]


def mounts(script):
    return namespaces("--mount", script)


def without_syscall(error, *calls):
    return [os.environ["WITHOUT_SYSCALL"], error, *calls, "--"]


def as_user(user):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


class EnvironmentTest(LauncherTest):
    def setUp(self):
        super().setUp()
        self.started = []

    def tearDown(self):
        for job in self.started:
            job.terminate()
            job.wait()
            job.stdout.close()
        super().tearDown()

    def need(self, place, command=("true",)):
        """Skips the test where such a place cannot be made, by this user or on this machine."""
        try:
            tried = subprocess.run([*place, *command], capture_output=True, text=True, timeout=PATIENCE)
        except OSError as error:
            self.skipTest(f"{place[0]}: {error.strerror}")
        if tried.returncode != 0:
            self.skipTest(f"{' '.join(place)}: {tried.stderr.strip() or tried.returncode}")

    def need_root(self):
        if os.geteuid() != 0:
            self.skipTest("only root can play other users")
        self.need(as_user(NOBODY), ("test", "-x", PROBE))

    def run_in(self, place, *arguments, **options):
        """Runs a job there."""
        return self.run_alone([*place, *self.command(*arguments)], **options)

    def run_alone(self, command, **options):
        command = [str(word) for word in command]
        defaults = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": PATIENCE}
        done = subprocess.run(command, **(defaults | options))
        done.stdout = (done.stdout or b"").decode(errors="replace")
        done.stderr = (done.stderr or b"").decode(errors="replace")
        return done

    def start_in(self, place, *arguments, **options):
        """Starts a job of probes that stay, and returns when all have passed their ring."""
        job = subprocess.Popen([*place, *self.command(*arguments)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True, **options)
        self.started.append(job)
        for _ in range(int(arguments[1])):
            self.assertEqual(job.stdout.readline(), "done\n")
        return job

    def assert_works(self, job, pes, *, says="", prints=()):
        """All PEs did what they should; `says` is in the only line on stderr, which is empty without."""
        outcome = f"{job.returncode} {job.stdout!r} {job.stderr!r}"
        self.assertEqual(job.returncode, 0, outcome)
        self.assertEqual(sorted(job.stdout.splitlines()), sorted([*prints, "done"] * pes), outcome)
        self.assertEqual(job.stderr.count("\n"), 1 if says else 0, outcome)
        self.assertIn(says, job.stderr)

    def assert_refused(self, job, says, status=1):
        """One line on stderr says what is wrong."""
        outcome = f"{job.returncode} {job.stdout!r} {job.stderr!r}"
        self.assertEqual(job.returncode, status, outcome)
        self.assertEqual(job.stderr.count("\n"), 1, outcome)
        self.assertIn(says, job.stderr)

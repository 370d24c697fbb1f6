# SPDX-License-Identifier: Apache-2.0
"""What the soak tests share: jobs drawn by chance, and a count of what they must not leave behind."""

import ctypes
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))
from launcher import PATIENCE, SHMEMRUN  # noqa: E402

JOBS = int(os.environ.get("JOBS") or os.environ["DEFAULT_JOBS"])
SEED = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
REPORT_EVERY = 50
PR_SET_CHILD_SUBREAPER = 36


class Process:
    """What /proc says about a process, as it was at one moment."""

    def __init__(self, number):
        self.number = number
        text = pathlib.Path(f"/proc/{number}/stat").read_text()
        self.name = text[text.index("(") + 1 : text.rindex(")")]
        self.state, parent, group, session = text[text.rindex(")") + 2 :].split()[:4]
        self.parent, self.group, self.session = int(parent), int(group), int(session)

    def __str__(self):
        return f"{self.name} (process {self.number}, state {self.state})"

    def pe(self):
        """The number of the PE that it belongs to; None before it runs the PE's program."""
        try:
            environment = pathlib.Path(f"/proc/{self.number}/environ").read_bytes()
        except OSError:
            return None
        for variable in environment.split(b"\0"):
            if variable.startswith(b"SHMEM_JOB_PE="):
                return int(variable.partition(b"=")[2])
        return None


def all_processes():
    found = {}
    for name in os.listdir("/proc"):
        try:
            if name.isdigit():
                found[int(name)] = Process(int(name))
        except (OSError, ValueError):
            pass  # it has just ended
    return found


def below(root):
    """All processes that descend from `root`, the zombies excepted."""
    children = {}
    for process in all_processes().values():
        children.setdefault(process.parent, []).append(process)
    found = []
    parents = [root]
    while parents:
        next_ones = children.get(parents.pop(), [])
        parents += [process.number for process in next_ones]
        found += [process for process in next_ones if process.state != "Z"]
    return found


def census():
    """Counts, over the whole machine, what a job might leave behind."""
    memory = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    kilobytes = {name: int(value.split()[0]) for name, value in memory.items()}
    processes = all_processes().values()
    return {
        "processes": len(processes),
        "zombies": sum(process.state == "Z" for process in processes),
        "open files": int(pathlib.Path("/proc/sys/fs/file-nr").read_text().split()[0]),
        "abstract sockets": pathlib.Path("/proc/net/unix").read_text().count(" @"),
        "files in /dev/shm": len(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else 0,
        "MiB of shared memory": kilobytes["Shmem"] >> 10,
        "MiB of memory in use": (kilobytes["MemTotal"] - kilobytes["MemAvailable"]) >> 10,
    }


# What other programs may take meanwhile. A tenth of the jobs that leave one thing behind exceed it.
ALLOWED_GROWTH = {
    "processes": 50 + JOBS // 20,
    "zombies": 10 + JOBS // 20,
    "open files": 200 + JOBS // 20,
    "abstract sockets": 10 + JOBS // 20,
    "files in /dev/shm": 0,
    "MiB of shared memory": 32 + JOBS // 20,
    "MiB of memory in use": 1024 + JOBS,
}


class SoakTest(unittest.TestCase):
    """Runs jobs, each drawn from a seed of its own: SEED=<its seed> JOBS=1 runs it again."""

    def setUp(self):
        # Whatever a job leaves behind becomes a child of this process.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.launchers = set()
        self.failures = []
        self.before = census()

    def start_launcher(self, *arguments, **options):
        defaults = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        command = [SHMEMRUN, *map(str, arguments)]
        job = subprocess.Popen(command, text=True, **(defaults | options))
        self.launchers.add(job.pid)
        return job

    def end_of(self, job):
        """Waits for the launcher; returns its status and what it said."""
        try:
            said = job.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired as late:
            running = [str(process) for process in below(job.pid)]
            job.kill()
            job.communicate()
            raise AssertionError(f"the job did not end; it had left {running}") from late
        finally:
            self.launchers.discard(job.pid)
        return job.returncode, said

    def left_behind(self):
        """Living processes that have lost their launcher; reaps those that have ended."""
        living = []
        for process in all_processes().values():
            if process.parent != os.getpid() or process.number in self.launchers:
                continue
            if os.waitpid(process.number, os.WNOHANG) == (0, 0):
                living.append(process)
        return living

    def check_nothing_runs(self, patience):
        limit = time.monotonic() + patience
        while (living := self.left_behind()) and time.monotonic() < limit:
            time.sleep(0.002)
        for process in living:
            os.kill(process.number, 9)
            os.waitpid(process.number, 0)
        self.assertEqual([str(process) for process in living], [], "left behind")

    def check_census(self):
        limit = time.monotonic() + PATIENCE  # the kernel gives back late, and other programs come and go
        while True:
            now = census()
            grown = [name for name in now if now[name] - self.before[name] > ALLOWED_GROWTH[name]]
            if not grown or time.monotonic() > limit:
                break
            time.sleep(0.5)
        for name, value in now.items():
            print(f"  {name}: {self.before[name]} before, {value} after", file=sys.stderr)
        self.assertEqual(grown, [])

    def run_jobs(self, run_one):
        print(f"SEED={SEED} JOBS={JOBS}", file=sys.stderr)
        started = time.monotonic()
        for number in range(JOBS):
            try:
                run_one(random.Random(SEED + number))
            except AssertionError as failure:
                self.failures.append(f"SEED={SEED + number}: {failure}")
                print(self.failures[-1], file=sys.stderr)
            if (number + 1) % REPORT_EVERY == 0:
                seconds = time.monotonic() - started
                print(f"{number + 1} jobs, {len(self.failures)} failures, {seconds:.0f} s", file=sys.stderr)

    def check(self):
        self.check_nothing_runs(PATIENCE)
        self.check_census()
        self.assertEqual(self.failures, [])

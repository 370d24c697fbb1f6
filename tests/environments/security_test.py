# SPDX-License-Identifier: Apache-2.0
"""What another user can do to a job, and what a job leaves where others see it: nothing."""

import fcntl
import os
import pathlib
import stat
import subprocess
import sys

import environment
from environment import NOBODY, OTHER_USER, PROBE, EnvironmentTest, as_user, eventually, namespaces

# Another user's process: tries for as long as it runs everything that could disturb the processes of a program, and at
# SIGTERM prints how often it tried and what succeeded.
HOSTILE = """
import os, pathlib, signal, sys
program, tries, successes, go_on = sys.argv[1], 0, set(), True
def stop(*_):
    global go_on
    go_on = False
signal.signal(signal.SIGTERM, stop)
def attempt(what, deed):
    global tries
    tries += 1
    try:
        deed()
        successes.add(what)
    except OSError:
        pass
def read(path):
    if not path.read_bytes():
        raise OSError("nothing to see, as when the process has just ended")
print("ready", flush=True)
while go_on:
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            victim = program in (folder / "cmdline").read_text() and folder.stat().st_uid != os.getuid()
        except OSError:
            continue
        if not victim:
            continue
        process = int(folder.name)
        attempt("list descriptors", lambda: os.listdir(folder / "fd"))
        for number in range(24):
            attempt("open descriptor", lambda: os.close(os.open(folder / "fd" / str(number), os.O_RDWR)))
        attempt("read memory", lambda: os.close(os.open(folder / "mem", os.O_RDONLY)))
        attempt("read environment", lambda: read(folder / "environ"))
        attempt("read mappings", lambda: read(folder / "maps"))
        for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
            attempt("signal", lambda: os.kill(process, number))
print(tries, sorted(successes), flush=True)
"""


class Memory(EnvironmentTest):
    def node_files(self, job):
        """Paths of the job's memory in the descriptors of its processes."""
        links = [path for process in [job.pid, *self.pes()]
                 for path in pathlib.Path(f"/proc/{process}/fd").iterdir()]
        return [path for path in links if "shmem-node" in os.readlink(path)]

    def test_it_is_sealed_and_its_users_alone(self):
        job = self.start_in([], "-n", 2, PROBE, "stay")
        files = self.node_files(job)
        self.assertGreaterEqual(len(files), 3)
        for path in files:
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            descriptor = os.open(path, os.O_RDWR)
            self.addCleanup(os.close, descriptor)
            seals = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
            wanted = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            self.assertEqual(seals & wanted, wanted)
            for size in (0, 1 << 50):
                with self.assertRaises(PermissionError):
                    os.ftruncate(descriptor, size)

    def test_another_user_cannot_open_it(self):
        self.need_root()
        for owner in ([], as_user(NOBODY)):
            job = self.start_in(owner, "-n", 2, PROBE, "stay")
            for path in self.node_files(job):
                opened = subprocess.run([*as_user(OTHER_USER), "sh", "-c", f": < {path}"], capture_output=True, text=True)
                self.assertNotEqual(opened.returncode, 0)
                self.assertIn("Permission denied", opened.stderr)

    def test_the_mode_protects_it_even_where_a_descriptor_can_be_reached(self):
        # As where a PE has become another user and still holds the descriptor: it cannot be opened anew.
        self.need_root()
        script = 'for d in /proc/self/fd/*; do case $(readlink $d) in *shmem-node*) (: < $d) && echo open;; esac; done'
        job = self.run_job("-n", 1, *as_user(OTHER_USER), "sh", "-c", script + "; exit 0")
        self.assertEqual(job.stdout, "")
        self.assertIn("Permission denied", job.stderr)


class Names(EnvironmentTest):
    def test_a_job_has_no_files_and_no_sockets_that_others_could_find(self):
        place = namespaces("--mount --net", "mount --make-rprivate / && mount -t tmpfs none /dev/shm")
        self.need(place)
        job = self.start_in(place, "-n", 3, PROBE, "stay")
        self.assertEqual(os.listdir(pathlib.Path("/proc", str(job.pid), "root", "dev", "shm")), [])
        for table in ("unix", "tcp", "tcp6", "udp", "netlink"):
            lines = pathlib.Path(f"/proc/{job.pid}/net/{table}").read_text().splitlines()
            users = [line for line in lines[1:] if not (table == "netlink" and line.split()[2] == "0")]
            self.assertEqual(users, [], table)
        for process in [job.pid, *self.pes()]:
            for descriptor in pathlib.Path(f"/proc/{process}/fd").iterdir():
                self.assertNotIn("socket:", os.readlink(descriptor))


class HostileUser(EnvironmentTest):
    def test_cannot_disturb_jobs_that_start_run_and_end(self):
        self.need_root()
        self.need(as_user(OTHER_USER), (sys.executable, "-c", ""))
        hostile = subprocess.Popen([*as_user(OTHER_USER), sys.executable, "-c", HOSTILE, PROBE],
                                   stdout=subprocess.PIPE, text=True, start_new_session=True)
        try:
            self.assertEqual(hostile.stdout.readline(), "ready\n")
            for user in (*[[]] * 15, *[as_user(NOBODY)] * 15):
                self.assert_works(self.run_in(user, "-n", 4, PROBE), 4)
            staying = self.start_in([], "-n", 2, PROBE, "stay")
            environment.launcher.time.sleep(0.5)
            self.assertIsNone(staying.poll())
        finally:
            hostile.terminate()
            outcome, _ = hostile.communicate(timeout=environment.PATIENCE)
        tries, successes = outcome.split(" ", 1)
        self.assertGreater(int(tries), 100)
        self.assertEqual(successes, "[]\n")


class WrongProcesses(EnvironmentTest):
    """A process that has the variables of a job that is not its own."""

    def variables_of(self, job):
        process = eventually(self.pes)[0]
        pairs = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        return [os.fsdecode(pair) for pair in pairs if pair.startswith(b"SHMEM_JOB_")]

    def test_of_another_user_gets_nothing_of_it(self):
        self.need_root()
        job = self.start_in([], "-n", 2, PROBE, "stay")
        intruder = self.run_alone([*as_user(OTHER_USER), "env", *self.variables_of(job), PROBE])
        self.assert_refused(intruder, "shmem: shmem_init: descriptor ")
        self.assertIn("is not the node file of job", intruder.stderr)
        self.assertIsNone(job.poll())

    def test_of_the_same_user_cannot_take_a_seat_that_is_taken(self):
        job = self.start_in([], "-n", 2, PROBE, "stay")
        intruder = self.run_alone(["env", *self.variables_of(job), PROBE])
        self.assertEqual(intruder.returncode, 1)
        self.assertIn("of this job is already process ", intruder.stderr)
        self.assertIsNone(job.poll())


if __name__ == "__main__":
    environment.main()

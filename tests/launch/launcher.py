# SPDX-License-Identifier: Apache-2.0
"""Runs shmemrun for the tests, and finds the processes that it leaves behind."""

import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest
import uuid

SHMEMRUN = os.environ["SHMEMRUN"]
JOINER = os.environ["JOINER"]
PATIENCE = 30  # seconds until a test gives up waiting


def eventually(condition):
    """Waits until `condition()` is true and returns its value."""
    limit = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > limit:
            raise AssertionError("what should happen did not")
        time.sleep(0.01)
    return value


def state_of(process):
    """The letter in /proc: R, S, T (stopped), Z ..., or None when there is no such process."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return None


def ask_until(job, pattern):
    """Asks the launcher what the PEs do until a line of the answer, which it returns, matches."""
    while True:
        job.send_signal(signal.SIGQUIT)
        while "what the PEs are doing" not in (line := job.stderr.readline()):
            if not line:
                raise AssertionError("the job has ended")
        first = job.stderr.readline()
        if re.search(pattern, first):
            return first
        time.sleep(0.01)


class LauncherTest(unittest.TestCase):
    """Marks the PEs of each test through their environment, and proves at its end that none is left."""

    def setUp(self):
        self.mark = f"SHMEM_TEST_MARK={uuid.uuid4()}"

    def tearDown(self):
        eventually(lambda: not self.pes())

    def pes(self):
        """Process ids of all living processes below this test's PEs."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if self.mark.encode() in environment.split(b"\0") and state_of(folder.name) not in ("Z", None):
                found.append(int(folder.name))
        return found

    def command(self, *arguments):
        return [SHMEMRUN, "--env", self.mark, *map(str, arguments)]

    def run_job(self, *arguments, shell=None, **options):
        """Runs a job; `shell` is a script that starts it, as "$@", in circumstances of its own."""
        command = self.command(*arguments)
        if shell:
            command = ["sh", "-c", shell, "sh", *command]
        defaults = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE}
        return subprocess.run(command, **(defaults | options))

    def start_job(self, *arguments, **options):
        defaults = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        job = subprocess.Popen(self.command(*arguments), text=True, **(defaults | options))
        self.addCleanup(job.wait)
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.stderr.close)
        return job

    def start_in_terminal(self, *arguments):
        """Starts a job on a terminal of its own."""
        terminal = Terminal(self.command(*arguments))
        self.addCleanup(terminal.close)
        return terminal


class Terminal:
    ROWS, COLUMNS = 33, 101

    def __init__(self, command):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", self.ROWS, self.COLUMNS, 0, 0))
            os.execv(command[0], command)
        self.seen = ""
        self.ended = False

    def read(self):
        """Reads more; False at the end."""
        try:
            self.seen += os.read(self.descriptor, 65536).decode()
            return True
        except OSError:
            return False

    def expect(self, text):
        while text not in self.seen:
            if not self.read():
                raise AssertionError(f"{text!r} is not in {self.seen!r}")

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def resize(self, rows, columns):
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self):
        """Reads all output and returns the exit status."""
        while self.read():
            pass
        status = os.waitpid(self.process, 0)[1]
        self.ended = True
        return os.waitstatus_to_exitcode(status)

    def hang_up(self):
        """Closes the terminal, as its window does, and returns the exit status."""
        os.close(self.descriptor)
        self.descriptor = None
        status = os.waitpid(self.process, 0)[1]
        self.ended = True
        return os.waitstatus_to_exitcode(status)

    def close(self):
        if not self.ended:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        if self.descriptor is not None:
            os.close(self.descriptor)


def main():
    # A test that hangs is a failure, not a wait for ever.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(300)
    unittest.main(module=sys.modules["__main__"], verbosity=2)

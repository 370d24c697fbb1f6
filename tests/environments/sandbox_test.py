# SPDX-License-Identifier: Apache-2.0
"""What a job does where system calls are refused, and where /dev/shm is of no use."""

import os
import signal
import subprocess

import environment
from environment import PROBE, PROTOCOL_TEST, EnvironmentTest, mounts, namespaces, without_syscall

ERRORS = {"EPERM": "Operation not permitted", "ENOSYS": "Function not implemented"}


class RefusedCalls(EnvironmentTest):
    def works_without(self, *calls):
        self.need(without_syscall("EPERM", *calls))
        for error in ERRORS:
            with self.subTest(error=error):
                job = self.run_in(without_syscall(error, *calls), "-n", 4, PROBE, "allocate", 16)
                self.assert_works(job, 4, prints=["allocated"])

    def test_reading_other_processes_is_not_needed(self):
        self.works_without("process_vm_readv", "process_vm_writev", "ptrace")

    def test_pidfd_open_is_not_needed(self):
        self.works_without("pidfd_open")

    def test_membarrier_is_not_needed(self):
        self.works_without("membarrier")

    def test_no_wake_up_is_lost_without_membarrier(self):
        # Its sleeps are endless: one lost wake-up hangs it.
        place = without_syscall("EPERM", "membarrier")
        self.need(place)
        done = self.run_alone([*place, PROTOCOL_TEST, "--gtest_filter=*WakeUp*:*AsymmetricFence*"], timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("this kernel has no membarrier", done.stdout)
        self.assertIn("[  PASSED  ]", done.stdout)

    def test_waits_that_sleep_at_once_end_without_membarrier(self):
        place = [*without_syscall("ENOSYS", "membarrier"), "env", "SHMEM_SPIN_TIME=0"]
        self.need(place)
        self.assert_works(self.run_in(place, "-n", 4, PROBE), 4)

    def test_huge_pages_are_not_needed(self):
        # As before Linux 6.1: MADV_COLLAPSE is 25.
        place = without_syscall("EINVAL", "madvise:25")
        self.need(place)
        self.assert_works(self.run_in(place, "-n", 2, PROBE, "allocate", 64), 2, prints=["allocated"])


class ExecutableMemory(EnvironmentTest):
    def test_systems_that_refuse_it_make_no_difference(self):
        place = namespaces("--pid --fork --mount-proc", "echo 2 > /proc/sys/vm/memfd_noexec")
        self.need(place)
        self.assert_works(self.run_in(place, "-n", 2, PROBE, "allocate", 16), 2, prints=["allocated"])


class RefusedMemory(EnvironmentTest):
    """Without memfd_create the memory is an unnamed file on a tmpfs."""

    WARNING = "shmem: warning: memfd_create is refused ({}): the memory is an unnamed file in {} instead, which is not " \
              "sealed and has room for {}\n"

    def place(self, script, error="EPERM"):
        place = [*mounts(f"mount --make-rprivate / && {script}"), "env", "-u", "TMPDIR", "-u", "XDG_RUNTIME_DIR",
                 *without_syscall(error, "memfd_create")]
        self.need(place)
        return place

    def only_shm(self, options):
        hidden = " && ".join(f"mount -t tmpfs -o ro none {folder}" for folder in ("/tmp", "/run"))
        return f"{hidden} && mount -t tmpfs -o {options} none /dev/shm"

    def test_dev_shm_takes_its_place_and_one_line_says_so(self):
        for error, text in ERRORS.items():
            with self.subTest(error=error):
                place = self.place(self.only_shm("size=128m"), error)
                job = self.run_in(place, "-n", 4, PROBE, "allocate", 16)
                self.assert_works(job, 4, prints=["allocated"],
                                  says=self.WARNING.format(text, "/dev/shm", "128 MiB"))

    def test_a_program_without_a_launcher_does_the_same(self):
        place = self.place(self.only_shm("size=128m"))
        job = self.run_alone([*place, PROBE, "allocate", 16])
        self.assert_works(job, 1, prints=["allocated"], says="an unnamed file in /dev/shm")

    def refusal_in_64_mib(self, *task):
        place = self.place(self.only_shm("size=64m"))
        job = self.run_in(place, "-n", 2, PROBE, *task)
        self.assertEqual(job.returncode, 0, job.stderr)
        warnings = job.stderr.splitlines()
        self.assertEqual(len(warnings), 2, job.stderr)
        self.assertIn("are left of the tmpfs that holds the job's memory (64 MiB)", warnings[1])
        return job.stdout

    def test_more_than_it_has_room_for_is_refused_by_name_and_never_a_bus_error(self):
        self.assertEqual(self.refusal_in_64_mib("allocate", 48).count("refused\n"), 2)

    def test_pieces_until_it_is_full_are_never_a_bus_error(self):
        self.assertIn("\n", self.refusal_in_64_mib("pieces", 1))

    def test_the_tmpfs_with_the_most_room_is_taken(self):
        script = self.only_shm("size=64k") + " && mount -t tmpfs -o size=100m none /mnt"
        place = [*self.place(script), "env", "TMPDIR=/mnt"]
        job = self.run_in(place, "-n", 2, PROBE, "allocate", 16)
        self.assert_works(job, 2, prints=["allocated"], says="an unnamed file in /mnt instead")

    def test_without_any_tmpfs_one_line_names_the_remedy(self):
        place = self.place(self.only_shm("ro"))
        self.assert_refused(
            self.run_in(place, "-n", 2, PROBE),
            "shmemrun: cannot make the memory that the PEs share: memfd_create is refused (Operation not permitted), and "
            "none of /dev/shm, $XDG_RUNTIME_DIR, $TMPDIR, /tmp and /run is a tmpfs with room that this user can write "
            "to: allow memfd_create, or set TMPDIR to such a folder\n",
        )

    def test_a_crash_leaves_nothing_there(self):
        place = [*self.place("mount -t tmpfs none /dev/shm"), "sh", "-c", '"$@"; ls -A /dev/shm; df --output=used /dev/shm', "sh"]
        job = self.start_in(place, "-n", 2, PROBE, "stay", stderr=subprocess.PIPE)
        job.stderr.close()
        for process in self.pes():
            os.kill(process, signal.SIGKILL)
        self.assertEqual(job.stdout.read().split(), ["Used", "0"])


class SharedMemoryFolder(EnvironmentTest):
    def test_it_is_not_needed(self):
        for name, script in {
            "read-only": "mount -t tmpfs -o ro none /dev/shm",
            "64 KiB": "mount -t tmpfs -o size=64k none /dev/shm",
            "missing": "mount -t tmpfs none /mnt && touch /mnt/null && mount --bind /dev/null /mnt/null && "
                       "mount --move /mnt /dev && ! test -e /dev/shm",
        }.items():
            with self.subTest(name):
                place = mounts("mount --make-rprivate / && " + script)
                self.need(place)
                self.assert_works(self.run_in(place, "-n", 2, PROBE, "allocate", 16), 2, prints=["allocated"])


if __name__ == "__main__":
    environment.main()

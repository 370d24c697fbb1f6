# SPDX-License-Identifier: Apache-2.0
"""What a job does without /proc, in containers, beside another user's job, with next to no environment."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import environment
from environment import NOBODY, PROBE, EnvironmentTest, as_user, mounts, namespaces

LEAVES_PROCESSES = "setsid sleep 1000 & sleep 1000 & exit 0"


class NoProc(EnvironmentTest):
    """No /proc, and one that shows the processes of another namespace."""

    PLACES = {
        "unmounted": mounts("mount --make-rprivate / && umount -l /proc"),
        "hidden": mounts("mount --make-rprivate / && mount -t tmpfs none /proc"),
        "process folders only": mounts("mount --make-rprivate / && mount -t proc -o subset=pid none /proc"),
        "of another namespace": namespaces("--pid --fork"),
    }

    def run_in_each(self, check, *arguments):
        """Runs the job in each of these places and checks it."""
        for name, place in self.PLACES.items():
            with self.subTest(name):
                self.need(place)
                check(self.run_in(place, *arguments))

    def test_a_job_works(self):
        check = lambda job: self.assert_works(job, 2, prints=["allocated"])
        self.run_in_each(check, "-n", 2, PROBE, "allocate", 16)

    def test_a_program_that_what_was_launched_left_behind_works(self):
        check = lambda job: self.assert_works(job, 2)
        self.run_in_each(check, "-n", 2, "setsid", PROBE)

    def test_processes_left_in_the_background_end_with_the_job_and_no_others(self):
        bystander = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(bystander.wait)
        self.addCleanup(bystander.kill)

        def check(job):
            self.assertEqual((job.returncode, job.stdout, job.stderr), (0, "", ""))
            environment.eventually(lambda: not self.pes())
            self.assertIsNone(bystander.poll())

        self.run_in_each(check, "-n", 2, "sh", "-c", LEAVES_PROCESSES)

    def test_a_killed_pe_ends_the_job(self):
        check = lambda job: self.assert_refused(job, "was killed by signal 9 (Killed)", 128 + signal.SIGKILL)
        self.run_in_each(check, "-n", 2, "sh", "-c", f"[ $SHMEM_JOB_PE = 0 ] && kill -KILL $$; exec {PROBE}")


class Containers(EnvironmentTest):
    INIT = namespaces("--pid --fork --mount-proc")

    def test_the_launcher_can_be_process_1(self):
        self.need(self.INIT)
        self.assert_works(self.run_in(self.INIT, "-n", 2, PROBE, "allocate", 16), 2, prints=["allocated"])

    def test_as_process_1_it_reaps_orphans_while_the_job_runs(self):
        self.need(self.INIT)
        script = "sh -c 'sleep 0.1 & exit 0'; sleep 0.5; grep -l '^State:.Z' /proc/[0-9]*/status; exit 0"
        job = self.run_in(self.INIT, "-n", 1, "sh", "-c", script)
        self.assertEqual((job.returncode, job.stdout), (0, ""))

    def test_as_process_1_it_passes_on_statuses_and_signals(self):
        self.need(self.INIT)
        self.assertEqual(self.run_in(self.INIT, "-n", 2, "sh", "-c", "exit 3").returncode, 3)
        self.assertEqual(self.run_in(self.INIT, "-n", 2, "--timeout", 0.2, PROBE, "stay").returncode, 124)

    def test_a_job_below_another_process_1_leaves_nothing_to_it(self):
        self.need(self.INIT)
        place = [*namespaces("--pid --fork --mount-proc")[:-4], "sh", "-c", '"$@"; ps -e --no-headers -o comm', "sh"]
        job = self.run_in(place, "-n", 2, "sh", "-c", LEAVES_PROCESSES)
        self.assertNotIn("sleep", job.stdout)
        self.assertIn("ps\n", job.stdout)

    def test_when_process_1_is_killed_nothing_stays(self):
        self.need(self.INIT)
        job = self.start_in(self.INIT, "-n", 2, PROBE, "stay")
        job.kill()  # unshare; what it started dies with it or is killed here, as a container's end would
        for process in self.pes():
            if environment.launcher.state_of(process):
                parent = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[1]
                os.kill(int(parent), signal.SIGKILL)
                break
        environment.eventually(lambda: not self.pes())

    def test_user_namespaces_make_no_difference(self):
        for flags in ("--user", "--user --map-root-user", "--user --map-root-user --pid --fork --mount-proc"):
            with self.subTest(flags=flags):
                place = namespaces(flags)
                self.need(place)
                self.assert_works(self.run_in(place, "-n", 2, PROBE, "allocate", 16), 2, prints=["allocated"])

    def test_a_read_only_root_makes_no_difference(self):
        place = mounts("mount --make-rprivate / && mount -o remount,bind,ro / && ! touch /shmem-test 2>/dev/null")
        self.need(place)
        self.assert_works(self.run_in(place, "-n", 2, PROBE, "allocate", 16), 2, prints=["allocated"])

    def test_no_sys_makes_no_difference(self):
        place = mounts("mount --make-rprivate / && mount -t tmpfs none /sys")
        self.need(place)
        self.assert_works(self.run_in(place, "-n", 2, PROBE, "allocate", 16), 2, prints=["allocated"])

    def test_no_dev_null_is_one_line(self):
        place = mounts("mount --make-rprivate / && mount -t tmpfs none /dev")
        self.need(place)
        self.assert_refused(self.run_in(place, "-n", 2, PROBE), "shmemrun: cannot open /dev/null")

    def test_a_host_name_can_be_any_bytes(self):
        name = [sys.executable, "-c", "import os, socket, sys; socket.sethostname(os.fsencode(sys.argv[1])); "
                "os.execvp(sys.argv[2], sys.argv[2:])", b"\xff\xfehost"]
        place = ["unshare", "--uts", *name]
        self.need(place)
        self.assert_refused(self.run_in(place, "-n", 2, "sh", "-c", "exit 3"), "exited with status 3", 3)


class Users(EnvironmentTest):
    def test_any_user_can_run_a_job(self):
        self.need_root()
        job = self.run_in(as_user(NOBODY), "-n", 2, PROBE, "allocate", 16)
        self.assert_works(job, 2, prints=["allocated"])

    def test_jobs_of_two_users_run_beside_each_other(self):
        self.need_root()
        others = self.start_in(as_user(NOBODY), "-n", 2, PROBE, "stay")
        for _ in range(5):
            self.assert_works(self.run_job("-n", 3, PROBE), 3)
        self.assertIsNone(others.poll())

    def test_pes_may_become_another_user(self):
        self.need_root()
        self.assert_works(self.run_job("-n", 2, *as_user(NOBODY), PROBE, "allocate", 16), 2, prints=["allocated"])


class NextToNothing(EnvironmentTest):
    def test_an_empty_environment_suffices(self):
        self.assert_works(self.run_in(["env", "-i"], "-n", 2, PROBE), 2)

    def test_odd_folders_locales_and_terminals_make_no_difference(self):
        for settings in (["TMPDIR=/nowhere"], ["TMPDIR=/" + "long/" * 800], ["HOME=/nowhere", "TERM=none"],
                         ["LC_ALL=xx_YY.none", "LANG="], ["-u", "HOME", "-u", "TERM", "-u", "PATH"]):
            with self.subTest(settings=settings[0][:20]):
                self.assert_works(self.run_in(["env", *settings], "-n", 2, PROBE), 2)

    def test_closed_standard_descriptors_make_no_difference(self):
        for place in (self.command("-n", 2), []):
            done = self.run_alone(["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *place, PROBE, "allocate", 16])
            self.assertEqual(done.returncode, 0)

    def test_nothing_is_written_to_any_folder(self):
        with tempfile.TemporaryDirectory() as root:
            folders = {name: pathlib.Path(root, name) for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR", "cwd")}
            for folder in folders.values():
                folder.mkdir()
            variables = [f"{name}={folder}" for name, folder in folders.items()]
            job = self.start_in(["env", *variables], "-n", 2, PROBE, "stay", cwd=folders["cwd"])
            found = [path for folder in folders.values() for path in folder.iterdir()]
            job.terminate()
            job.wait()
            found += [path for folder in folders.values() for path in folder.iterdir()]
            self.assertEqual(found, [])


if __name__ == "__main__":
    environment.main()

# SPDX-License-Identifier: Apache-2.0
"""What shmemrun promises about output, input, options and the exit status."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

import launcher
from launcher import JOINER, LauncherTest

START = "shmemrun:"  # of the launcher's own lines
HOST = socket.gethostname()
NUMBER = "$SHMEM_JOB_PE"


class Output(LauncherTest):
    def test_lines_of_different_pes_never_mix_under_load(self):
        # Each line is written in two pieces.
        body = f"printf '%s ' {NUMBER}; echo $i of a longer line of text; i=$((i+1))"
        job = self.run_job("-n", 8, "sh", "-c", f"i=0; while [ $i -lt 10000 ]; do {body}; done")
        self.assertEqual(job.returncode, 0)
        next_line = [0] * 8
        for line in job.stdout.splitlines():
            pe = int(line.split()[0])
            self.assertEqual(line, f"{pe} {next_line[pe]} of a longer line of text")
            next_line[pe] += 1
        self.assertEqual(next_line, [10000] * 8)

    def test_very_long_lines_stay_whole(self):
        size = 8 << 20
        job = self.run_job("-n", 3, "sh", "-c", f"head -c {size} /dev/zero | tr '\\0' {NUMBER}; echo")
        self.assertEqual(sorted(job.stdout.splitlines()), [str(pe) * size for pe in range(3)])

    def test_a_last_line_without_end_is_not_lost(self):
        job = self.run_job("-n", 2, "printf", "last")
        self.assertEqual(job.stdout, "last\nlast")

    def test_tag_starts_each_line_with_the_pe(self):
        job = self.run_job("-n", 2, "--tag", "sh", "-c", f"echo I am {NUMBER}; echo and complain >&2")
        self.assertEqual(sorted(job.stdout.splitlines()), ["[0] I am 0", "[1] I am 1"])
        self.assertEqual(sorted(job.stderr.splitlines()), ["[0] and complain", "[1] and complain"])

    def test_two_streams_in_one_file_keep_the_order_of_a_pe(self):
        job = self.run_job("-n", 1, "sh", "-c", "for i in 1 2 3 4; do echo out $i; echo error $i >&2; done",
                           capture_output=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(job.stdout, "".join(f"out {i}\nerror {i}\n" for i in range(1, 5)))

    def test_a_reader_that_leaves_ends_the_job_quietly(self):
        job = self.start_job("-n", 2, "yes")
        self.assertEqual(job.stdout.readline(), "y\n")
        job.stdout.close()
        self.assertEqual(job.wait(), 128 + signal.SIGPIPE)
        self.assertEqual(job.stderr.read(), "")

    def test_closed_standard_descriptors_do_no_harm(self):
        job = self.run_job("-n", 2, "sh", "-c", "echo; cat", shell='exec "$@" <&- >&- 2>&-')
        self.assertEqual(job.returncode, 0)


class Input(LauncherTest):
    def test_goes_to_pe_0_alone(self):
        job = self.run_job("-n", 3, "--tag", "sh", "-c", "cat; echo end", stdin=None, input="a\nb\n")
        self.assertEqual(sorted(job.stdout.splitlines()), ["[0] a", "[0] b", "[0] end", "[1] end", "[2] end"])


class Options(LauncherTest):
    def test_end_at_the_programs_name(self):
        rest = ["-n", "7", "--tag", "--help", "--", "x"]
        job = self.run_job("-n", 1, "sh", "-c", 'echo options: "$@"', "sh", *rest)
        self.assertEqual(job.stdout, "options: -n 7 --tag --help -- x\n")

    def test_two_dashes_end_them_too(self):
        job = self.run_job("-n", 1, "--", "echo", "--", "--tag")
        self.assertEqual(job.stdout, "-- --tag\n")

    def test_env_is_set_in_every_pe_as_written(self):
        settings = ["--env", "A=[1,2] 'x'=y", "--env", "B="]
        job = self.run_job("-n", 2, *settings, "sh", "-c", 'echo "$A|${B-unset}"')
        self.assertEqual(job.stdout, "[1,2] 'x'=y|\n" * 2)

    def test_each_pe_gets_its_share_of_the_cpus(self):
        usable = sorted(os.sched_getaffinity(0))
        if len(usable) < 2:
            self.skipTest("needs two CPUs")
        script = "import os; print(sorted(os.sched_getaffinity(0)), os.environ['SHMEM_JOB_BIND'])"
        show = [sys.executable, "-c", script]
        bound = self.run_job("-n", 2, "--bind", "core", *show)
        if bound.returncode == 1:
            self.skipTest("a quota leaves less than two CPUs")
        shares = [eval(line.rpartition(" ")[0]) for line in bound.stdout.splitlines()]
        self.assertEqual(len(shares[0]), len(shares[1]))
        self.assertFalse(set(shares[0]) & set(shares[1]))
        numa = self.run_job("-n", 2, "--bind", "numa", *show)
        self.assertTrue(all(line.endswith(" numa") for line in numa.stdout.splitlines()))
        free = self.run_job("-n", 2, "--bind", "none", *show)
        self.assertEqual(free.stdout, f"{usable} none\n" * 2)

    def test_mistakes_are_explained_with_status_2(self):
        for arguments, complaint in [
            (("true",), "how many PEs"),
            (("-n", 2), "which program"),
            (("-n", 0, "true"), "--pes"),
            (("-n", "two", "true"), "--pes"),
            (("-n", 2, "--tagg", "true"), "unknown option --tagg"),
            (("-n", 2, "--bind", "socket", "true"), "--bind"),
            (("-n", 2, "--timeout", "-1", "true"), "--timeout"),
            (("-n", 2, "--env", "A", "true"), "NAME=VALUE"),
        ]:
            with self.subTest(arguments=arguments):
                job = self.run_job(*arguments)
                self.assertEqual(job.returncode, 2)
                self.assertIn(complaint, job.stderr)
                self.assertTrue(job.stderr.startswith(START))

    def test_help_names_every_option(self):
        job = self.run_job("--help")
        self.assertEqual(job.returncode, 0)
        for option in ("--pes", "--bind", "--tag", "--timeout", "--env", "--version"):
            self.assertIn(option, job.stdout)

    def test_a_low_limit_on_descriptors_is_raised_for_the_launcher_alone(self):
        job = self.run_job("-n", 40, "sh", "-c", "ulimit -Sn", shell='ulimit -Sn 64; exec "$@"')
        self.assertEqual((job.returncode, job.stdout), (0, "64\n" * 40))

    def test_too_low_a_hard_limit_on_descriptors_is_explained(self):
        job = self.run_job("-n", 40, "true", shell='ulimit -n 64; exec "$@"')
        self.assertEqual(job.returncode, 1)
        self.assertIn("ulimit -Hn", job.stderr)


class ExitStatus(LauncherTest):
    def test_is_0_when_all_pes_end_well(self):
        job = self.run_job("-n", 4, "true")
        self.assertEqual((job.returncode, job.stderr), (0, ""))

    def test_is_that_of_the_pe_that_failed_and_the_others_are_ended(self):
        job = self.run_job("-n", 3, "sh", "-c", f"[ {NUMBER} = 1 ] && exit 7; sleep 1000")
        self.assertEqual(job.returncode, 7)
        reason = f"PE 1 on {HOST} exited with status 7"
        self.assertEqual(job.stderr, f"{START} {reason}; the other 2 PEs were ended\n")

    def test_is_128_and_the_signal_that_killed_a_pe(self):
        job = self.run_job("-n", 2, "sh", "-c", f"[ {NUMBER} = 0 ] && kill -SEGV $$; sleep 1000")
        self.assertEqual(job.returncode, 128 + signal.SIGSEGV)
        self.assertEqual(
            job.stderr,
            f"{START} PE 0 on {HOST} was killed by signal 11 (Segmentation fault); the other PE was ended\n",
        )

    def test_pes_that_ignore_the_request_to_end_are_killed(self):
        script = f"trap '' TERM; [ {NUMBER} = 0 ] && sleep 1 && exit 5; while :; do sleep 1; done"
        job = self.run_job("-n", 2, "sh", "-c", script)
        self.assertEqual(job.returncode, 5)

    def test_a_program_that_does_not_exist_gives_127(self):
        job = self.run_job("-n", 3, "./no-such-program")
        self.assertEqual(job.returncode, 127)
        self.assertEqual(job.stderr, "shmemrun: cannot run ./no-such-program: No such file or directory\n")

    def test_a_script_whose_interpreter_is_missing_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "script")
            script.write_text("#!/no/such/interpreter\n")
            script.chmod(0o755)
            job = self.run_job("-n", 2, script)
        self.assertEqual(job.returncode, 127)
        self.assertIn("(the interpreter that it names)", job.stderr)

    def test_a_program_that_cannot_be_executed_gives_126(self):
        job = self.run_job("-n", 3, "/")
        self.assertEqual(job.returncode, 126)
        self.assertEqual(job.stderr, "shmemrun: cannot run /: Permission denied\n")

    def test_is_124_when_the_time_is_over(self):
        job = self.run_job("-n", 2, "--timeout", 0.2, "sleep", 1000)
        self.assertEqual(job.returncode, 124)
        self.assertIn("the job did not end within 0.2 s (--timeout); 2 PEs were ended", job.stderr)


class Joining(LauncherTest):
    def test_a_time_limit_tells_what_each_pe_waits_for(self):
        job = self.run_job("-n", 3, "--timeout", 1, JOINER, "sleep")
        self.assertEqual(job.returncode, 124)
        self.assertRegex(job.stderr, r"PE 0, 2: [0-9.]+ s in shmem_finalize, waiting for PE 1\n")
        self.assertIn("PE 1: running", job.stderr)

    def test_a_pe_that_ends_before_init_ends_the_job(self):
        job = self.run_job("-n", 3, JOINER, "skip-init")
        self.assertEqual(job.returncode, 1)
        reason = "2 of 3 PEs arrived in shmem_init, missing PE 1 (exited with status 0 before shmem_init)"
        self.assertEqual(job.stderr, f"{START} {reason}; the other 2 PEs were ended\n")

    def test_a_pe_that_ends_without_finalize_ends_the_job(self):
        job = self.run_job("-n", 3, JOINER, "skip-finalize")
        self.assertEqual(job.returncode, 1)
        self.assertIn(f"PE 1 on {HOST} exited with status 0 without shmem_finalize", job.stderr)

    def test_a_program_behind_a_wrapper_that_ends_at_once_is_waited_for(self):
        job = self.run_job("-n", 2, "setsid", JOINER, "")
        self.assertEqual((job.returncode, job.stdout, job.stderr), (0, "joined\njoined\n", ""))

    def test_the_status_of_a_program_that_a_wrapper_left_behind_counts(self):
        job = self.run_job("-n", 2, "setsid", JOINER, "fail")
        self.assertEqual(job.returncode, 3)

    def test_so_does_that_of_one_that_ends_while_the_launcher_does_not_look(self):
        left_behind = f"sleep 0.6; exec {JOINER} fail"
        job = self.start_job("-n", 2, "sh", "-c", f"setsid sh -c '{left_behind}' & sleep 0.4")
        launcher.eventually(lambda: len(self.pes()) > 2)
        job.send_signal(signal.SIGSTOP)
        launcher.eventually(lambda: len(self.pes()) == 1)  # PE 0, which waits for PE 1
        job.send_signal(signal.SIGCONT)
        self.assertEqual(job.wait(timeout=launcher.PATIENCE), 3)


if __name__ == "__main__":
    launcher.main()

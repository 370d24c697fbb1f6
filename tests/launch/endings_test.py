# SPDX-License-Identifier: Apache-2.0
"""What shmemrun promises about signals and terminals, and that no process outlives a job."""

import os
import signal
import subprocess

import launcher
from launcher import JOINER, LauncherTest, eventually, state_of

NUMBER = "$SHMEM_JOB_PE"
LOOP = "while :; do sleep 0.05; done"  # short sleeps: a shell runs its traps between them


class Signals(LauncherTest):
    def end_by(self, number, script):
        job = self.start_job("-n", 2, "sh", "-c", script)
        self.assertEqual([job.stdout.readline() for _ in range(2)], ["ready\n"] * 2)
        job.send_signal(number)
        return job

    def test_int_and_term_reach_the_pes_and_give_the_status(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                job = self.end_by(number, f"trap 'echo caught; exit 0' {number.name[3:]}; echo ready; {LOOP}")
                self.assertEqual(job.wait(), 128 + number)
                self.assertEqual(job.stdout.read(), "caught\n" * 2)

    def test_pes_that_ignore_int_are_killed_after_a_grace(self):
        job = self.end_by(signal.SIGINT, f"trap '' INT; echo ready; {LOOP}")
        self.assertEqual(job.wait(), 130)

    def test_a_second_int_kills_at_once(self):
        job = self.end_by(signal.SIGINT, f"trap 'echo caught' INT; echo ready; {LOOP}")
        self.assertEqual([job.stdout.readline() for _ in range(2)], ["caught\n"] * 2)
        pes = self.pes()
        job.send_signal(signal.SIGINT)
        self.assertEqual(job.wait(), 130)
        self.assertFalse([pe for pe in pes if state_of(pe) is not None])

    def test_others_are_passed_on(self):
        job = self.end_by(signal.SIGUSR1, f"trap 'echo caught; exit 0' USR1; echo ready; {LOOP}")
        self.assertEqual(job.wait(), 0)
        self.assertEqual(job.stdout.read(), "caught\n" * 2)

    def test_stop_and_continue_reach_the_pes(self):
        job = self.end_by(signal.SIGTSTP, "echo ready; exec sleep 1000")
        eventually(lambda: state_of(job.pid) == "T" and {state_of(pe) for pe in self.pes()} == {"T"})
        job.send_signal(signal.SIGCONT)
        eventually(lambda: state_of(job.pid) == "S" and {state_of(pe) for pe in self.pes()} == {"S"})
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(), 143)


class NothingSurvives(LauncherTest):
    # That nothing does is what tearDown proves.

    def kill_launcher_of(self, *program):
        job = self.start_job("-n", 2, *program)
        self.assertEqual([job.stdout.readline() for _ in range(2)], ["joined\n"] * 2)
        self.assertGreaterEqual(len(self.pes()), 2)
        job.kill()
        job.wait()

    def test_when_the_launcher_is_killed(self):
        self.kill_launcher_of(JOINER, "stay")

    def test_when_the_launcher_is_killed_and_a_shell_is_between(self):
        self.kill_launcher_of("sh", "-c", f"{JOINER} stay; echo after")

    def test_when_the_launcher_is_killed_and_the_program_does_not_use_the_library(self):
        self.kill_launcher_of("sh", "-c", f"(trap '' TERM INT HUP; echo joined; {LOOP}); echo after")

    def test_when_the_launcher_is_killed_and_timeout_is_between(self):
        self.kill_launcher_of("timeout", "1000", JOINER, "stay")

    def test_when_the_launcher_is_killed_and_the_pe_left_session_and_group(self):
        self.kill_launcher_of("setsid", "-w", JOINER, "stay")

    def test_when_the_launcher_is_killed_and_a_stopped_pe_left_session_and_group(self):
        self.kill_launcher_of("setsid", "-w", "sh", "-c", f"echo joined; kill -STOP $$; exec {JOINER} stay")

    def test_when_the_launcher_is_killed_and_what_runs_in_other_sessions_is_no_pe(self):
        self.kill_launcher_of("sh", "-c", f"setsid sh -c '{LOOP}' & echo joined; wait")

    def test_when_a_shell_between_is_killed(self):
        script = f"if [ {NUMBER} = 0 ]; then {JOINER} stay & read joined; kill -KILL $$; fi; exec {JOINER} stay"
        job = self.start_job("-n", 2, "sh", "-c", script, stdin=subprocess.PIPE)
        self.assertEqual([job.stdout.readline() for _ in range(2)], ["joined\n"] * 2)
        job.stdin.close()
        self.assertEqual(job.wait(), 128 + signal.SIGKILL)

    def test_processes_left_in_the_background_end_with_the_job(self):
        job = self.run_job("-n", 2, "sh", "-c", "setsid sleep 1000 & sleep 1000 & exit 0")
        self.assertEqual(job.returncode, 0)

    def test_when_a_pe_fails_its_own_children_end_too(self):
        script = f"setsid sleep 1000 & sh -c 'sleep 1000; true' & [ {NUMBER} = 0 ] && exit 1; wait"
        job = self.run_job("-n", 2, "sh", "-c", script)
        self.assertEqual(job.returncode, 1)


class OnATerminal(LauncherTest):
    def test_pes_see_a_terminal_of_its_size(self):
        script = "[ -t 1 ] && [ -t 2 ] && stty size <&1 && stty size <&2"
        job = self.start_in_terminal("-n", 2, "sh", "-c", script)
        self.assertEqual(job.wait(), 0)
        self.assertEqual(job.seen, f"{job.ROWS} {job.COLUMNS}\r\n" * 4)

    def test_pes_learn_a_new_size(self):
        script = f"trap 'stty size <&1; exit' WINCH; echo ready; {LOOP}"
        job = self.start_in_terminal("-n", 1, "sh", "-c", script)
        job.expect("ready")
        job.resize(20, 30)
        self.assertEqual(job.wait(), 0)
        self.assertIn("20 30", job.seen)

    def test_a_prompt_is_shown_and_typing_reaches_pe_0(self):
        script = f"if [ {NUMBER} = 0 ]; then printf 'name? '; read name; echo hello $name; fi"
        job = self.start_in_terminal("-n", 2, "sh", "-c", script)
        job.expect("name? ")
        job.type("Ada\n")
        job.expect("hello Ada\r\n")
        self.assertEqual(job.wait(), 0)

    def test_end_of_file_typed_reaches_pe_0(self):
        job = self.start_in_terminal("-n", 2, "sh", "-c", "cat; echo end")
        job.type("\x04")
        self.assertEqual(job.wait(), 0)
        self.assertEqual(job.seen.count("end\r\n"), 2)

    def test_lines_of_others_start_on_a_fresh_line(self):
        script = f"if [ {NUMBER} = 0 ]; then printf 'name? '; read x; else sleep 0.5; echo busy; fi"
        job = self.start_in_terminal("-n", 2, "sh", "-c", script)
        job.expect("name? \r\nbusy\r\n")
        job.type("\n")
        self.assertEqual(job.wait(), 0)

    def test_progress_bars_arrive_in_pieces(self):
        script = f"if [ {NUMBER} = 0 ]; then printf '10%%\\r'; read x; printf '20%%\\r\\n'; fi"
        job = self.start_in_terminal("-n", 2, "sh", "-c", script)
        job.expect("10%\r")
        job.type("\n")
        self.assertEqual(job.wait(), 0)
        self.assertIn("20%\r", job.seen)

    def test_control_c_ends_the_job_with_130(self):
        job = self.start_in_terminal("-n", 2, "sh", "-c", "echo ready; exec sleep 1000")
        job.expect("ready\r\nready\r\n")
        job.type("\x03")
        self.assertEqual(job.wait(), 130)

    def test_that_is_closed_ends_the_job_with_129(self):
        for script in ("echo ready; exec sleep 1000", "echo ready; exec yes"):
            with self.subTest(script=script):
                job = self.start_in_terminal("-n", 2, "sh", "-c", script)
                job.expect("ready\r\n")
                self.assertEqual(job.hang_up(), 128 + signal.SIGHUP)

    def test_control_z_stops_launcher_and_pes(self):
        job = self.start_in_terminal("-n", 2, "sh", "-c", "echo ready; exec sleep 1000")
        job.expect("ready\r\nready\r\n")
        job.type("\x1a")
        eventually(lambda: state_of(job.process) == "T" and {state_of(pe) for pe in self.pes()} == {"T"})
        os.kill(job.process, signal.SIGCONT)
        eventually(lambda: {state_of(pe) for pe in self.pes()} == {"S"})
        job.type("\x03")
        self.assertEqual(job.wait(), 130)


if __name__ == "__main__":
    launcher.main()

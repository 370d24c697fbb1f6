# SPDX-License-Identifier: Apache-2.0
"""What shmem-info promises: text and JSON that agree, limits that hold, running jobs and nobody else's."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import launcher
from launcher import JOINER, LauncherTest, eventually

INFO = os.environ["INFO"]
NOBODY = 65534


def info(*arguments, shell=None, variables=None, **options):
    """Runs shmem-info with no settings but `variables`; `shell` is as in LauncherTest.run_job."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SHMEM_")}
    command = [options.pop("program", INFO), *map(str, arguments)]
    if shell:
        command = ["sh", "-c", shell, "sh", *command]
    return subprocess.run(command, env=clean | (variables or {}), capture_output=True, text=True,
                          timeout=launcher.PATIENCE, **options)


def facts(*arguments, **options):
    return json.loads(info("--json", *arguments, **options).stdout)


def line_of(text, label):
    """What the text says behind a label."""
    lines = [line.strip()[len(label):].strip() for line in text.splitlines() if line.startswith(f"  {label}  ")]
    if len(lines) != 1:
        raise AssertionError(f"{len(lines)} lines for {label!r} in\n{text}")
    return lines[0]


class Report(unittest.TestCase):
    SETTINGS = {"SHMEM_SPIN_TIME": "2500", "SHMEM_CHECK": "maybe", "SHMEM_TIMOUT": "3"}

    def test_text_and_json_agree(self):
        text = info(variables=self.SETTINGS).stdout
        json_facts = facts(variables=self.SETTINGS)
        labels = {
            ("version", "library"): "library", ("version", "compiler"): "compiler", ("machine", "cpu"): "CPU",
            ("machine", "kernel"): "kernel", ("machine", "online_cpus"): "CPUs on line",
            ("machine", "cores"): "usable cores", ("memory", "shmem_enabled"): "the kernel's own (shmem_enabled)",
            ("limits", "most_pes"): "PEs that they suffice for", ("memory_kinds", "cuda"): "cuda",
        }
        for (section, key), label in labels.items():
            self.assertEqual(line_of(text, label), str(json_facts[section][key]))
        for variable, setting in json_facts["settings"].items():
            if variable != "warnings":
                said = f"{setting['value']} ({setting['origin']})"
                self.assertEqual(line_of(text, variable), ": ".join(filter(None, [said, setting.get("error")])))

    def test_settings_have_value_origin_and_mistakes(self):
        settings = facts(variables=self.SETTINGS)["settings"]
        self.assertEqual(settings["SHMEM_SPIN_TIME"]["value"], "2500")
        self.assertEqual(settings["SHMEM_SPIN_TIME"]["origin"], "environment")
        self.assertEqual(settings["SHMEM_HUGE_PAGES"]["value"], "1")
        self.assertEqual(settings["SHMEM_HUGE_PAGES"]["origin"], "default")
        self.assertEqual(settings["SHMEM_CHECK"]["error"], "it must be 0 or 1")
        self.assertEqual(settings["warnings"],
                         ["SHMEM_TIMOUT is not a setting of this library: did you mean SHMEM_TIMEOUT?"])

    def test_limits_appear_with_their_numbers(self):
        limits = "ulimit -v 4194304; ulimit -f 2000000; ulimit -n 100; exec \"$@\""
        found = facts(shell=limits)
        self.assertEqual(found["limits"]["address_space"], {"soft": 4 << 30, "hard": 4 << 30})
        self.assertEqual(found["limits"]["descriptors"], {"soft": 100, "hard": 100})
        self.assertEqual(found["limits"]["file_size"]["soft"] % 2000000, 0)
        self.assertLess(found["heap_bytes"]["1"], 2 << 30)
        text = info(shell=limits).stdout
        self.assertEqual(line_of(text, "addresses (ulimit -v)"), "4 GiB")
        self.assertEqual(line_of(text, "descriptors (ulimit -n)"), "100")

    def test_the_heap_of_the_asked_number_of_pes_is_there(self):
        self.assertIn("5", facts("-n", 5)["heap_bytes"])

    @unittest.skipUnless(os.geteuid() == 0, "mounts")
    def test_says_what_is_missing_without_proc(self):
        hide = "mount -t tmpfs none /proc && exec \"$@\""
        isolated = ["unshare", "--mount", "true"]
        if not shutil.which("unshare") or subprocess.run(isolated, check=False).returncode != 0:
            self.skipTest("no mount namespaces")
        shell = f"exec unshare --mount sh -c '{hide}' sh \"$@\""
        report = info(shell=shell)
        self.assertEqual(report.returncode, 0)
        self.assertEqual(line_of(report.stdout, "/proc"), "missing: No such file or directory")
        jobs = info("--jobs", shell=shell)
        self.assertEqual((jobs.returncode, jobs.stderr),
                         (1, "shmem-info: cannot look for jobs: /proc is not mounted\n"))


class Check(LauncherTest):
    def test_is_content_where_jobs_run(self):
        checked = info("--check", "-n", 3)
        self.assertEqual((checked.returncode, checked.stdout), (0, "a job of 3 PEs can run here\n"))
        self.assertEqual(facts("--check", "-n", 3), {"pes": 3, "problems": []})

    def test_agrees_with_the_launcher_about_descriptors(self):
        few = "ulimit -n 100; exec \"$@\""
        most = facts(shell=few)["limits"]["most_pes"]
        for pes in (most, most + 1):
            runs = self.run_job("-n", pes, "true", shell=few).returncode == 0
            self.assertEqual(runs, pes == most)
            self.assertEqual(info("--check", "-n", pes, shell=few).returncode == 0, runs)

    def test_names_what_is_in_the_way(self):
        checked = info("--check", shell="ulimit -f 1; exec \"$@\"")
        self.assertEqual(checked.returncode, 1)
        self.assertRegex(checked.stdout, r"^a job of 1 PE cannot run here: .*ulimit -f")
        checked = info("--check", variables={"SHMEM_CHECK": "maybe"})
        self.assertEqual((checked.returncode, checked.stdout),
                         (1, "a job of 1 PE cannot run here: SHMEM_CHECK=maybe: it must be 0 or 1\n"))


class Jobs(LauncherTest):
    job = None

    def tearDown(self):
        if self.job:
            self.job.terminate()
        super().tearDown()

    def stuck_job(self):
        """A job of which PE 1 never finalizes, and its entry once the others wait for it."""
        self.job = job = self.start_job("-n", 3, JOINER, "sleep")

        def entry():
            for found in facts("--jobs")["jobs"]:
                if found["launcher"] == job.pid and found["doing"].get("waiting") == 2:
                    return found
            return None

        return eventually(entry)

    def test_a_running_job_is_found_once(self):
        entry = self.stuck_job()
        self.assertEqual(entry["pes"], 3)
        self.assertEqual(entry["doing"], {"running": 1, "waiting": 2})
        self.assertEqual([job["id"] for job in facts("--jobs")["jobs"]].count(entry["id"]), 1)
        line = [line.split() for line in info("--jobs").stdout.splitlines() if entry["id"] in line]
        self.assertEqual([words[:6] for words in line], [[entry["id"], str(entry["launcher"]), "3", "1", "2", "0"]])

    def test_its_table_is_shown(self):
        entry = self.stuck_job()
        table = facts("--job", entry["id"])
        self.assertEqual([(row["pe"], row["doing"]) for row in table["rows"]],
                         [(0, "waiting"), (1, "running"), (2, "waiting")])
        self.assertEqual(table["rows"][0]["call"], "shmem_finalize")
        text = info("--job", entry["id"]).stdout
        self.assertIn(entry["id"], text.splitlines()[0])
        self.assertRegex(text, r"PE 0, 2: .*shmem_finalize")
        self.assertIn(table["rows"][0]["waits_for"], text)

    def test_a_unique_beginning_of_an_id_suffices(self):
        entry = self.stuck_job()
        others = [job["id"] for job in facts("--jobs")["jobs"] if job["id"] != entry["id"]]
        length = next(n for n in range(1, 17) if not any(other.startswith(entry["id"][:n]) for other in others))
        self.assertEqual(facts("--job", entry["id"][:length])["id"], entry["id"])

    def test_an_unknown_id_is_answered_with_those_there_are(self):
        entry = self.stuck_job()
        shown = info("--job", "nonsense")
        self.assertEqual((shown.returncode, shown.stdout), (1, ""))
        self.assertIn("no job of yours runs here whose id begins with nonsense", shown.stderr)
        self.assertIn(entry["id"], shown.stderr)

    def test_a_program_without_launcher_is_a_job_of_one_pe(self):
        program = subprocess.Popen([JOINER, "stay"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.assertEqual(program.stdout.readline(), "joined\n")
        self.assertIn((1, None), [(job["pes"], job["launcher"]) for job in facts("--jobs")["jobs"]])

    @unittest.skipUnless(os.geteuid() == 0, "becomes another user")
    def test_another_users_job_is_out_of_reach(self):
        entry = self.stuck_job()
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(INFO, pathlib.Path(folder, "shmem-info"))
            stranger = {"program": program, "user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
            try:
                listed = info("--jobs", **stranger)
            except PermissionError as error:
                self.skipTest(f"another user cannot run programs here: {error}")
            self.assertNotIn(entry["id"], listed.stdout)
            shown = info("--job", entry["id"], **stranger)
            self.assertEqual((shown.returncode, shown.stdout), (1, ""))


class Usage(unittest.TestCase):
    def test_contradictory_options_are_refused(self):
        for arguments in (["--jobs", "--check"], ["--jobs", "--job", "1"], ["--nonsense"], ["-n", "0"]):
            wrong = info(*arguments)
            self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
            self.assertIn("Try 'shmem-info --help'", wrong.stderr)


if __name__ == "__main__":
    launcher.main()

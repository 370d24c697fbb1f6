# SPDX-License-Identifier: Apache-2.0
"""The file that `shmem-bench posix --json` writes keeps its promises; usage: LAUNCHER BENCHMARK."""
import json
import os
import subprocess
import sys
import tempfile

NUMBERS = ["ratio_posix", "ratio_posix_tuned", "of_copy_limit", "bandwidth_gb_s", "hand_off_ns",
           "event_one_way_ns", "barrier_ns", "put_8b_ns", "alloc_touch_ms_per_gib", "caller_thread_cpu_share"]


def check(condition, message):
    if not condition:
        sys.exit("failed: " + message)


def main():
    launcher, benchmark = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        run = subprocess.run([launcher, "-n", "2", benchmark, "posix", "--size", "4MiB", "--rounds", "2",
                              "--json", path], capture_output=True, text=True, check=False)
        check(run.returncode == 0, "exit status %d\n%s" % (run.returncode, run.stderr))
        check(run.stderr == "", "stderr is not empty: " + run.stderr)
        check("verified" in run.stdout, "the table does not say that the data was verified")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    summary = result["summary"]
    for key in NUMBERS:
        check(isinstance(summary[key], float) and summary[key] > 0, "summary.%s is %r" % (key, summary.get(key)))
    check(summary["verified"] is True, "summary.verified is not true")
    check(result["settings"]["size_bytes"] == 4 << 20, "the size is not the one asked for")
    times = result["pairs"][0]["samples"]["large_transfer_ns"]
    check(all(len(times[column]) == 2 for column in ("posix", "posix_tuned", "shmem")), "not one sample per round")
    check(result["machine"]["cpus"] == os.cpu_count(), "wrong number of CPUs")

    alone = subprocess.run([benchmark, "posix"], capture_output=True, text=True, check=False)
    check(alone.returncode != 0 and "-n 2" in alone.stderr, "one PE alone is not told to start two")


main()

# SPDX-License-Identifier: Apache-2.0
"""What a job does in control groups that limit memory and CPUs."""

import os
import pathlib

import environment
from environment import PROBE, EnvironmentTest, shell

MOUNT = pathlib.Path("/sys/fs/cgroup")
MIB = 1 << 20


def own_group(hierarchy):
    """The path of this process in the hierarchy of a version 1 controller, or of version 2 for ""."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if hierarchy in controllers.split(","):
            return path.lstrip("/")
    return ""


class GroupTest(EnvironmentTest):
    def make_group(self, controller, files):
        """A new group that `files` limit: those of version 1 and of version 2, name and value."""
        first = MOUNT / controller / own_group(controller)
        parents = [(first, files["v1"])] if (MOUNT / controller).is_dir() else []
        parents.append((MOUNT, files["v2"]))
        for parent, limits in parents:
            group = parent / f"shmem-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            try:
                for name, value in limits.items():
                    (group / name).write_text(str(value))
                return group
            except OSError:
                continue
        return self.skipTest(f"this user cannot limit {controller} in a control group here")

    def inside(self, group):
        return shell(f"echo $$ > {group}/cgroup.procs")


class Memory(GroupTest):
    LIMIT = 256 * MIB

    def setUp(self):
        super().setUp()
        self.group = self.make_group("memory", {"v1": {"memory.limit_in_bytes": self.LIMIT},
                                                "v2": {"memory.max": self.LIMIT}})

    def tearDown(self):
        super().tearDown()
        for name in ("memory.oom_control", "memory.events"):
            if (self.group / name).exists():
                self.assertIn("oom_kill 0", (self.group / name).read_text())

    def limit(self):
        """As messages name it, which cut off what is very long."""
        return f"are left of the memory limit of control group {self.group}"[:100]

    def run_here(self, pes, *task):
        return self.run_in(self.inside(self.group), "-n", pes, PROBE, *task)

    def test_more_than_the_group_has_is_refused_on_all_pes_with_one_warning(self):
        for pes in (1, 2, 4):
            with self.subTest(pes=pes):
                job = self.run_here(pes, "allocate", 512)
                self.assert_works(job, pes, prints=["refused"], says=self.limit())
                self.assertTrue(job.stderr.startswith("shmem: PE 0: warning: shmem_malloc returns NULL: "), job.stderr)

    def test_what_all_pes_need_together_counts(self):
        self.assert_works(self.run_here(4, "allocate", 48), 4, prints=["allocated"])
        self.assert_works(self.run_here(4, "allocate", 80), 4, prints=["refused"], says="for 80 MiB on each of 4 PEs")

    def test_pieces_until_the_group_is_full_kill_nobody(self):
        for pes, mib in ((1, 1), (2, 3), (4, 1), (4, 5)):
            with self.subTest(pes=pes, mib=mib):
                job = self.run_here(pes, "pieces", mib)
                self.assertEqual((job.returncode, job.stdout.count("done\n")), (0, pes), job.stderr)
                self.assertEqual(job.stderr.count("\n"), 1, job.stderr)
                used = int(job.stdout.split()[0]) * mib * MIB * pes
                self.assertGreater(used, self.LIMIT * 3 // 4, "most of the group's memory could be had")

    def test_a_group_around_the_own_one_counts(self):
        inner = self.group / "inner"
        inner.mkdir()
        self.addCleanup(inner.rmdir)
        job = self.run_in(self.inside(inner), "-n", 2, PROBE, "allocate", 512)
        self.assert_works(job, 2, prints=["refused"], says=self.limit())


class MemoryWithoutSwap(Memory):
    """Where swap can be limited too: the answers are the same."""

    def setUp(self):
        super().setUp()
        for name, value in (("memory.memsw.limit_in_bytes", self.LIMIT), ("memory.swap.max", 0)):
            if (self.group / name).exists():
                (self.group / name).write_text(str(value))
                return
        self.skipTest("this kernel does not account for swap")


class Cpus(GroupTest):
    def test_no_more_cpus_are_usable_than_the_quota_gives(self):
        group = self.make_group("cpu", {"v1": {"cpu.cfs_quota_us": 100_000}, "v2": {"cpu.max": "100000 100000"}})
        place = self.inside(group)
        self.assert_refused(self.run_in(place, "-n", 2, "--bind", "core", PROBE),
                            "shmemrun: --bind core needs a CPU for each PE: 2 PEs, 1 usable CPUs\n")
        self.assert_works(self.run_in(place, "-n", 2, PROBE), 2)

    def test_no_more_cpus_are_usable_than_the_affinity_has(self):
        self.assert_refused(self.run_in(["taskset", "-c", "0"], "-n", 2, "--bind", "core", PROBE),
                            "shmemrun: --bind core needs a CPU for each PE: 2 PEs, 1 usable CPUs\n")


if __name__ == "__main__":
    environment.main()

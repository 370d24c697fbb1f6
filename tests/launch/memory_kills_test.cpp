// SPDX-License-Identifier: Apache-2.0
#include "launch/memory_kills.hpp"

#include <gtest/gtest.h>

#include "tests/base/temporary_folder.hpp"

namespace shm::launch {
namespace {

class MemoryKillsTest : public testing::Test {
protected:
    MemoryKillsTest() { tree_.write("vmstat", "nr_free_pages 7\noom_kill 2\n"); }

    MemoryKills count() const {
        return MemoryKills(Cgroup("memory", tree_.path("mount"), tree_.path("membership")),
                           tree_.path("vmstat"));
    }

    test::TemporaryFolder tree_;
};

TEST_F(MemoryKillsTest, of_version_2_name_the_innermost_group_where_they_happened) {
    tree_.write("membership", "0::/outer/inner\n");
    tree_.write("mount/outer/memory.events", "oom 1\noom_kill 1\n");
    tree_.write("mount/outer/inner/memory.events", "oom 0\noom_kill 0\n");
    MemoryKills kills = count();
    EXPECT_EQ(kills.explain(), "");
    tree_.write("mount/outer/memory.events", "oom 2\noom_kill 2\n"); // counts those in its groups, too
    tree_.write("mount/outer/inner/memory.events", "oom 1\noom_kill 1\n");
    EXPECT_EQ(kills.explain(), ": out of memory in control group " + tree_.path("mount/outer/inner"));
}

TEST_F(MemoryKillsTest, of_version_1_are_found_too) {
    tree_.write("membership", "4:memory:/job\n");
    tree_.write("mount/memory/job/memory.oom_control", "under_oom 0\noom_kill 3\n");
    MemoryKills kills = count();
    EXPECT_EQ(kills.explain(), "");
    tree_.write("mount/memory/job/memory.oom_control", "under_oom 1\noom_kill 4\n");
    EXPECT_EQ(kills.explain(), ": out of memory in control group " + tree_.path("mount/memory/job"));
}

TEST_F(MemoryKillsTest, elsewhere_on_the_machine_are_a_guess) {
    MemoryKills kills = count();
    EXPECT_EQ(kills.explain(), "");
    tree_.write("vmstat", "nr_free_pages 1\noom_kill 3\n");
    EXPECT_EQ(
        kills.explain(),
        ": perhaps out of memory: the kernel has just killed a process on this machine for that reason");
}

TEST_F(MemoryKillsTest, are_not_told_where_the_kernel_does_not_count) {
    tree_.write("membership", "0::/group\n");
    tree_.write("vmstat", "nr_free_pages 7\n");
    MemoryKills kills = count();
    tree_.write("mount/group/memory.events", "oom_kill 1\n");
    EXPECT_EQ(kills.explain(), "");
}

} // namespace
} // namespace shm::launch

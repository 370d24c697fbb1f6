// SPDX-License-Identifier: Apache-2.0
#include "base/limits.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "temporary_folder.hpp"

namespace shm {
namespace {

using testing::EndsWith;

constexpr std::uint64_t kMiB = 1 << 20;

/// What a limit leaves to the library when this much is left under it.
constexpr std::uint64_t without_reserve(std::uint64_t left, std::uint64_t whole) {
    return left - whole / 20;
}

class LimitsTest : public testing::Test {
protected:
    LimitsTest() {
        tree_.write("meminfo",
                    fmt::format("MemTotal: 9000 kB\nMemAvailable:       {} kB\n", kMachine / 2 / 1024));
    }
    static std::uint64_t reserve_of_machine() { return std::min(machine_memory() / 20, 256 * kMiB); }

    const std::uint64_t kMachine = machine_memory();

    MemoryLimit limit() const {
        return available_memory(Cgroup("memory", tree_.path("mount"), tree_.path("membership")),
                                tree_.path("meminfo"));
    }

    void write_level(const std::string& folder, const std::string& max, std::uint64_t current) const {
        tree_.write("mount" + folder + "/memory.max", max + "\n");
        tree_.write("mount" + folder + "/memory.current", std::to_string(current) + "\n");
    }

    test::TemporaryFolder tree_;
};

TEST_F(LimitsTest, without_control_groups_the_machine_is_the_limit) {
    EXPECT_EQ(limit().bytes, kMachine / 2 - reserve_of_machine());
    EXPECT_EQ(limit().name, "the memory of this machine");
}

TEST_F(LimitsTest, a_group_with_less_left_is_the_limit) {
    tree_.write("membership", "0::/job\n");
    write_level("/job", "500000", 100000);
    EXPECT_EQ(limit().bytes, without_reserve(400000, 500000));
    EXPECT_THAT(limit().name, EndsWith("mount/job"));
}

TEST_F(LimitsTest, a_group_with_more_left_is_not) {
    tree_.write("membership", "0::/job\n");
    write_level("/job", std::to_string(2 * kMachine), 100000);
    EXPECT_EQ(limit().name, "the memory of this machine");
}

TEST_F(LimitsTest, a_tighter_parent_counts) {
    tree_.write("membership", "0::/slice/job/step\n");
    write_level("/slice", "300000", 100000);
    write_level("/slice/job", "max", 5000);
    write_level("/slice/job/step", "500000", 100000);
    EXPECT_EQ(limit().bytes, without_reserve(200000, 300000));
    EXPECT_THAT(limit().name, EndsWith("mount/slice"));
}

TEST_F(LimitsTest, cache_that_the_kernel_can_drop_counts_as_left) {
    tree_.write("membership", "0::/job\n");
    write_level("/job", "500000", 400000);
    tree_.write("mount/job/memory.stat", "anon 100\ninactive_file 300000\n");
    EXPECT_EQ(limit().bytes, without_reserve(400000, 500000));
}

TEST_F(LimitsTest, a_group_over_its_limit_leaves_nothing) {
    tree_.write("membership", "0::/job\n");
    write_level("/job", "500000", 600000);
    EXPECT_EQ(limit().bytes, 0U);
}

TEST_F(LimitsTest, version_1_has_other_names) {
    tree_.write("membership", "4:memory:/job\n");
    tree_.write("mount/memory/job/memory.limit_in_bytes", "500000\n");
    tree_.write("mount/memory/job/memory.usage_in_bytes", "400000\n");
    tree_.write("mount/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 300000\n");
    tree_.write("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree_.write("mount/memory/memory.usage_in_bytes", "800000\n");
    EXPECT_EQ(limit().bytes, without_reserve(400000, 500000));
    EXPECT_THAT(limit().name, EndsWith("mount/memory/job"));
}

TEST_F(LimitsTest, in_a_container_the_root_of_the_mount_holds_the_limit) {
    tree_.write("membership", "0::/machine/container\n");
    write_level("", "500000", 100000);
    EXPECT_EQ(limit().bytes, without_reserve(400000, 500000));
}

TEST_F(LimitsTest, the_reserve_of_a_large_machine_is_bounded) {
    tree_.write("meminfo", "MemAvailable: 4294967296 kB\n");
    tree_.write("membership", "0::/job\n");
    write_level("/job", "2199023255552", std::uint64_t{1} << 40);
    EXPECT_EQ(limit().bytes, (std::uint64_t{1} << 40) - 256 * kMiB);
}

TEST_F(LimitsTest, the_reserve_does_not_shrink_as_the_group_fills) {
    tree_.write("membership", "0::/job\n");
    write_level("/job", "500000", 480000);
    EXPECT_EQ(limit().bytes, 0U) << "less is left than a twentieth of the limit";
}

TEST_F(LimitsTest, without_proc_free_memory_and_the_mounted_groups_count) {
    tree_.write("meminfo", "");
    EXPECT_EQ(limit().name, "the memory of this machine");
    EXPECT_GT(limit().bytes, 0U);
    EXPECT_LT(limit().bytes, machine_memory());
    write_level("", "500000", 100000);
    EXPECT_EQ(limit().bytes, without_reserve(400000, 500000));
}

TEST_F(LimitsTest, this_machine_has_no_more_available_than_it_has) {
    EXPECT_GT(available_memory().bytes, 0U);
    EXPECT_LT(available_memory().bytes, machine_memory());
}

} // namespace
} // namespace shm

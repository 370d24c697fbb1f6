// SPDX-License-Identifier: Apache-2.0
#include "base/cgroup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace shm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CgroupTest : public testing::Test {
protected:
    Cgroup cgroup(const std::string& controller = "memory") const {
        return Cgroup(controller, tree_.path("mount"), tree_.path("membership"));
    }

    /// The folders of the levels, below the mount point.
    std::vector<std::string> folders(const std::string& controller = "memory") const {
        std::vector<std::string> names;
        Cgroup groups = cgroup(controller);
        for (const Cgroup::Level& level : groups.levels())
            names.push_back(level.folder.substr(tree_.path("mount").size()));
        return names;
    }

    test::TemporaryFolder tree_;
};

TEST_F(CgroupTest, version_2_goes_from_the_own_group_up_to_the_root) {
    tree_.write("membership", "0::/system/service\n");
    tree_.write("mount/system/service/memory.max", "max\n");
    EXPECT_THAT(folders(), ElementsAre("/system/service", "/system", ""));
    EXPECT_EQ(cgroup().levels().front().version, Cgroup::Version::v2);
}

TEST_F(CgroupTest, version_1_uses_the_tree_of_the_controller) {
    tree_.write("membership", "5:cpu,cpuacct:/other\n4:memory:/job\n");
    tree_.write("mount/memory/job/memory.limit_in_bytes", "1\n");
    EXPECT_THAT(folders(), ElementsAre("/memory/job", "/memory"));
    EXPECT_EQ(cgroup().levels().front().version, Cgroup::Version::v1);
}

TEST_F(CgroupTest, a_controller_is_found_among_others_of_its_hierarchy) {
    tree_.write("membership", "5:cpu,cpuacct:/job\n4:cpuset:/job\n");
    tree_.write("mount/cpu/job/cpu.cfs_quota_us", "-1\n");
    EXPECT_THAT(folders("cpu"), ElementsAre("/cpu/job", "/cpu"));
    EXPECT_THAT(folders("cpus"), IsEmpty());
}

TEST_F(CgroupTest, a_hybrid_machine_has_the_levels_of_both_versions) {
    tree_.write("membership", "4:memory:/job\n0::/unit\n");
    tree_.write("mount/memory/job/memory.limit_in_bytes", "1\n");
    tree_.write("mount/unified/unit/cgroup.procs", "");
    EXPECT_THAT(folders(), ElementsAre("/memory/job", "/memory", "/unified/unit", "/unified"));
}

TEST_F(CgroupTest, in_a_container_the_root_of_the_mount_is_the_own_group) {
    tree_.write("membership", "0::/machine/container/0123\n");
    tree_.write("mount/memory.max", "1000\n");
    EXPECT_THAT(folders(), ElementsAre(""));
}

TEST_F(CgroupTest, the_root_group_is_one_level) {
    tree_.write("membership", "0::/\n");
    tree_.write("mount/memory.stat", "");
    EXPECT_THAT(folders(), ElementsAre(""));
}

TEST_F(CgroupTest, without_control_groups_there_are_no_levels) {
    EXPECT_THAT(folders(), IsEmpty());
    tree_.write("membership", "not a group\n0:\n");
    EXPECT_THAT(folders(), IsEmpty());
}

TEST_F(CgroupTest, a_number_is_read_from_a_file_or_from_behind_a_key) {
    tree_.write("membership", "0::/\n");
    tree_.write("mount/memory.max", "18446744073709551615\n");
    tree_.write("mount/memory.stat", "inactive_file_other 1\ninactive_file 22\n");
    Cgroup groups = cgroup();
    const Cgroup::Level& level = groups.levels().front();
    EXPECT_EQ(level.number("memory.max"), 18446744073709551615U);
    EXPECT_EQ(level.number("memory.stat", "inactive_file"), 22U);
    EXPECT_EQ(level.text("memory.max"), "18446744073709551615\n");
}

TEST_F(CgroupTest, what_is_no_number_is_no_limit) {
    tree_.write("membership", "0::/\n");
    tree_.write("mount/memory.max", "max\n");
    tree_.write("mount/memory.empty", "");
    tree_.write("mount/memory.negative", "-1\n");
    Cgroup groups = cgroup();
    const Cgroup::Level& level = groups.levels().front();
    EXPECT_FALSE(level.number("memory.max"));
    EXPECT_FALSE(level.number("memory.empty"));
    EXPECT_FALSE(level.number("memory.negative"));
    EXPECT_FALSE(level.number("memory.missing"));
    EXPECT_FALSE(level.number("memory.max", "inactive_file"));
    EXPECT_FALSE(level.text("memory.missing"));
}

} // namespace
} // namespace shm

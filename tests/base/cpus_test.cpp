// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.hpp"

#include <climits>
#include <thread>

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace shm {
namespace {

class CpuQuotaTest : public testing::Test {
protected:
    int quota() const { return cpu_quota(Cgroup("cpu", tree_.path("mount"), tree_.path("membership"))); }

    test::TemporaryFolder tree_;
};

TEST_F(CpuQuotaTest, is_rounded_up) {
    tree_.write("membership", "0::/job\n");
    tree_.write("mount/job/cpu.max", "150000 100000\n");
    EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuotaTest, is_at_least_one_cpu) {
    tree_.write("membership", "0::/job\n");
    tree_.write("mount/job/cpu.max", "1000 100000\n");
    EXPECT_EQ(quota(), 1);
}

TEST_F(CpuQuotaTest, of_whole_cpus_is_exact) {
    tree_.write("membership", "0::/job\n");
    tree_.write("mount/job/cpu.max", "300000 100000\n");
    EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuotaTest, of_a_tighter_parent_counts) {
    tree_.write("membership", "0::/slice/job\n");
    tree_.write("mount/slice/cpu.max", "200000 100000\n");
    tree_.write("mount/slice/job/cpu.max", "400000 100000\n");
    EXPECT_EQ(quota(), 2);
}

TEST_F(CpuQuotaTest, max_is_none) {
    tree_.write("membership", "0::/job\n");
    tree_.write("mount/job/cpu.max", "max 100000\n");
    EXPECT_EQ(quota(), INT_MAX);
}

TEST_F(CpuQuotaTest, version_1_has_two_files) {
    tree_.write("membership", "5:cpu,cpuacct:/job\n");
    tree_.write("mount/cpu/job/cpu.cfs_quota_us", "250000\n");
    tree_.write("mount/cpu/job/cpu.cfs_period_us", "100000\n");
    tree_.write("mount/cpu/cpu.cfs_quota_us", "-1\n");
    tree_.write("mount/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuotaTest, nonsense_is_none) {
    tree_.write("membership", "5:cpu:/job\n0::/job\n");
    tree_.write("mount/cpu/job/cpu.cfs_quota_us", "250000\n");
    tree_.write("mount/cpu/job/cpu.cfs_period_us", "0\n");
    tree_.write("mount/job/cpu.max", "250000 0\n");
    EXPECT_EQ(quota(), INT_MAX);
}

TEST(Cpus, usable_are_those_of_the_affinity) {
    cpu_set_t all = usable_cpus();
    ASSERT_GE(CPU_COUNT(&all), 1);
    EXPECT_GE(usable_cpu_count(), 1);
    EXPECT_LE(usable_cpu_count(), CPU_COUNT(&all));
    std::thread([&] {
        ASSERT_TRUE(pin_to_first_cpu());
        EXPECT_EQ(usable_cpu_count(), 1);
    }).join();
}

TEST(Cpus, a_pinned_thread_starts_threads_that_are_not) {
    cpu_set_t all = usable_cpus();
    std::thread([&] {
        ASSERT_TRUE(pin_to_first_cpu());
        std::thread([&] {
            cpu_set_t here = usable_cpus();
            EXPECT_TRUE(CPU_EQUAL(&here, &all));
        }).join();
    }).join();
}

} // namespace
} // namespace shm

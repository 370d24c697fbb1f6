// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cpus.hpp"
#include "launch/placement.hpp"

namespace shm::launch {
namespace {

using testing::ElementsAre;

std::vector<std::vector<int>> cpus_of(const std::vector<cpu_set_t>& shares) {
    std::vector<std::vector<int>> result;
    for (const cpu_set_t& share : shares) {
        result.emplace_back();
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &share))
                result.back().push_back(cpu);
        }
    }
    return result;
}

using Cpus = std::vector<int>;

// Four cores of two threads each, as the system often numbers them; two NUMA nodes.
const Topology machine{{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, {{0, 1, 4, 5}, {2, 3, 6, 7}}};

TEST(CoreShares, are_equal_runs_of_adjacent_cores) {
    EXPECT_THAT(cpus_of(core_shares(machine, 2)), ElementsAre(Cpus{0, 1, 4, 5}, Cpus{2, 3, 6, 7}));
}

TEST(CoreShares, a_pe_has_whole_cores_where_there_are_enough) {
    EXPECT_THAT(cpus_of(core_shares(machine, 4)),
                ElementsAre(Cpus{0, 4}, Cpus{1, 5}, Cpus{2, 6}, Cpus{3, 7}));
}

TEST(CoreShares, stay_equal_when_cores_are_left_over) {
    EXPECT_THAT(cpus_of(core_shares(machine, 3)), ElementsAre(Cpus{0, 4}, Cpus{1, 5}, Cpus{2, 6}));
}

TEST(CoreShares, are_single_cpus_when_there_are_fewer_cores_than_pes) {
    EXPECT_THAT(cpus_of(core_shares(machine, 8)),
                ElementsAre(Cpus{0}, Cpus{4}, Cpus{1}, Cpus{5}, Cpus{2}, Cpus{6}, Cpus{3}, Cpus{7}));
}

TEST(NumaShares, neighbouring_pes_share_a_node) {
    EXPECT_THAT(cpus_of(numa_shares(machine, 4)),
                ElementsAre(Cpus{0, 1, 4, 5}, Cpus{0, 1, 4, 5}, Cpus{2, 3, 6, 7}, Cpus{2, 3, 6, 7}));
}

TEST(NumaShares, spread_over_the_nodes_when_there_are_fewer_pes) {
    const Topology four_nodes{{}, {{0}, {1}, {2}, {3}}};
    EXPECT_THAT(cpus_of(numa_shares(four_nodes, 2)), ElementsAre(Cpus{0}, Cpus{2}));
}

TEST(Topology, of_this_machine_covers_exactly_the_usable_cpus) {
    cpu_set_t usable = usable_cpus();
    Result<Topology> topology = read_topology(usable);
    ASSERT_TRUE(topology);
    for (const std::vector<CpuGroup>& groups : {topology->cores, topology->numa_nodes}) {
        cpu_set_t covered;
        CPU_ZERO(&covered);
        for (const CpuGroup& group : groups) {
            for (int cpu : group)
                CPU_SET(cpu, &covered);
        }
        EXPECT_TRUE(CPU_EQUAL(&covered, &usable));
    }
}

TEST(Placement, without_a_wish_binds_only_when_every_pe_gets_a_cpu) {
    Result<Placement> crowded = place(std::nullopt, usable_cpu_count() + 1);
    ASSERT_TRUE(crowded);
    EXPECT_EQ(crowded->bind, Bind::none);
    EXPECT_TRUE(crowded->shares.empty());
    Result<Placement> roomy = place(std::nullopt, usable_cpu_count());
    ASSERT_TRUE(roomy);
    EXPECT_EQ(roomy->bind, Bind::core);
}

TEST(Placement, a_request_for_more_cores_than_there_are_is_refused) {
    EXPECT_FALSE(place(Bind::core, usable_cpu_count() + 1));
}

} // namespace
} // namespace shm::launch

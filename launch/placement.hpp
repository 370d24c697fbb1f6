// SPDX-License-Identifier: Apache-2.0
// Which CPUs each PE gets.
#pragma once

#include <optional>
#include <vector>

#include <sched.h>

#include "base/result.hpp"
#include "launch/options.hpp"

namespace shm::launch {

/// CPUs that belong together, by the system's numbers.
using CpuGroup = std::vector<int>;

/// The usable CPUs of this machine: each group a core, or a NUMA node. Neighbours in the topology are
/// neighbours here.
struct Topology {
    std::vector<CpuGroup> cores;
    std::vector<CpuGroup> numa_nodes;
};

/// Reads the machine's topology and keeps the CPUs in `usable`.
Result<Topology> read_topology(const cpu_set_t& usable);

/// An equal share of adjacent cores for each PE; of single CPUs where there are fewer cores than PEs. Needs a
/// CPU for each PE.
std::vector<cpu_set_t> core_shares(const Topology& topology, int n_pes);

/// The CPUs of one NUMA node for each PE; neighbouring PEs get the same node or neighbouring ones.
std::vector<cpu_set_t> numa_shares(const Topology& topology, int n_pes);

struct Placement {
    Bind bind;                     // as decided: what the PEs are told
    std::vector<cpu_set_t> shares; // one for each PE, or none where no PE is to be bound
};

/// Decides where the user has not, and fails when a request cannot be met.
Result<Placement> place(std::optional<Bind> wish, int n_pes);

} // namespace shm::launch

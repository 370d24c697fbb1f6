// SPDX-License-Identifier: Apache-2.0
#include "launch/placement.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <hwloc.h>

#include "base/cpus.hpp"

namespace shm::launch {

namespace {

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// An environment variable that has another value as long as this lives.
class ChangedVariable {
public:
    ChangedVariable(const char* name, const char* value) : name_(name) {
        if (const char* previous = std::getenv(name))
            previous_ = previous;
        ::setenv(name, value, 1);
    }
    ChangedVariable(const ChangedVariable&) = delete;
    ChangedVariable& operator=(const ChangedVariable&) = delete;
    ~ChangedVariable() {
        if (previous_)
            ::setenv(name_, previous_->c_str(), 1);
        else
            ::unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> previous_;
};

/// Loads cores and NUMA nodes only.
Result<HwlocTopology> load_topology() {
    // It looks for devices with plugins, and to load these takes longer than to start a job: it gets none.
    ChangedVariable plugins("HWLOC_PLUGINS_PATH", "/dev/null");
    ChangedVariable silence("HWLOC_HIDE_ERRORS", "2"); // about a missing /sys
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0)
        return fail("cannot prepare hwloc").because(system_error());
    HwlocTopology owner(topology);
    // It would move this thread to each CPU in turn, and wait there for its turn, to learn what Linux tells
    // too.
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) != 0)
        return fail("hwloc cannot read the machine's topology").because(system_error());
    return owner;
}

std::vector<CpuGroup> groups_of(hwloc_topology_t topology, hwloc_obj_type_t type, const cpu_set_t& usable) {
    std::vector<CpuGroup> groups;
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
        CpuGroup group;
        for (int cpu = hwloc_bitmap_first(object->cpuset); cpu >= 0 && cpu < CPU_SETSIZE;
             cpu = hwloc_bitmap_next(object->cpuset, cpu)) {
            if (CPU_ISSET(cpu, &usable))
                group.push_back(cpu);
        }
        if (!group.empty())
            groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<CpuGroup> single_cpus(const std::vector<CpuGroup>& groups) {
    std::vector<CpuGroup> singles;
    for (const CpuGroup& group : groups) {
        for (int cpu : group)
            singles.push_back({cpu});
    }
    return singles;
}

void add(cpu_set_t& share, const CpuGroup& group) {
    for (int cpu : group)
        CPU_SET(cpu, &share);
}

} // namespace

Result<Topology> read_topology(const cpu_set_t& usable) {
    Result<HwlocTopology> loaded = load_topology();
    if (!loaded)
        return loaded.error();
    Topology topology{groups_of(loaded->get(), HWLOC_OBJ_CORE, usable),
                      groups_of(loaded->get(), HWLOC_OBJ_NUMANODE, usable)};
    // Some virtual machines describe no cores, or no NUMA node.
    if (topology.cores.empty())
        topology.cores = groups_of(loaded->get(), HWLOC_OBJ_PU, usable);
    if (topology.numa_nodes.empty())
        topology.numa_nodes = groups_of(loaded->get(), HWLOC_OBJ_MACHINE, usable);
    if (topology.cores.empty() || topology.numa_nodes.empty())
        return fail("hwloc knows none of the usable CPUs");
    return topology;
}

std::vector<cpu_set_t> core_shares(const Topology& topology, int n_pes) {
    auto pes = static_cast<std::size_t>(n_pes);
    std::vector<CpuGroup> units = topology.cores.size() >= pes ? topology.cores : single_cpus(topology.cores);
    std::size_t each = units.size() / pes;
    std::vector<cpu_set_t> shares(pes);
    for (std::size_t pe = 0; pe < pes; ++pe) {
        CPU_ZERO(&shares[pe]);
        std::size_t first = pe * units.size() / pes;
        for (std::size_t unit = first; unit < first + each; ++unit)
            add(shares[pe], units[unit]);
    }
    return shares;
}

std::vector<cpu_set_t> numa_shares(const Topology& topology, int n_pes) {
    auto pes = static_cast<std::size_t>(n_pes);
    std::vector<cpu_set_t> shares(pes);
    for (std::size_t pe = 0; pe < pes; ++pe) {
        CPU_ZERO(&shares[pe]);
        add(shares[pe], topology.numa_nodes[pe * topology.numa_nodes.size() / pes]);
    }
    return shares;
}

Result<Placement> place(std::optional<Bind> wish, int n_pes) {
    if (wish == Bind::none)
        return Placement{Bind::none, {}};
    bool enough = n_pes <= usable_cpu_count();
    if (!wish && !enough)
        return Placement{Bind::none, {}};
    if (wish == Bind::core && !enough)
        return fail("--bind core needs a CPU for each PE: {} PEs, {} usable CPUs", n_pes, usable_cpu_count());
    Bind bind = wish.value_or(Bind::core);
    if (n_pes == 1 && bind == Bind::core)
        return Placement{bind, {}}; // its share is what it has anyway
    Result<Topology> topology = read_topology(usable_cpus());
    if (!topology && !wish)
        return Placement{Bind::none, {}};
    if (!topology)
        return topology.error();
    if (bind == Bind::core && single_cpus(topology->cores).size() < static_cast<std::size_t>(n_pes))
        return fail("hwloc knows fewer usable CPUs than there are PEs");
    return Placement{bind,
                     bind == Bind::core ? core_shares(*topology, n_pes) : numa_shares(*topology, n_pes)};
}

} // namespace shm::launch

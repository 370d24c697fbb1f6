// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <sstream>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpus.hpp"
#include "base/file.hpp"
#include "base/words.hpp"
#include "info/sections.hpp"
#include "launch/placement.hpp"

namespace shm::info {
namespace {

/// Arm has no name in /proc/cpuinfo: the architecture has to do.
std::string cpu_model(const utsname& names) {
    std::istringstream lines(read_text("/proc/cpuinfo").value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return names.machine;
}

std::vector<int> numbers(const cpu_set_t& cpus) {
    std::vector<int> found;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &cpus))
            found.push_back(cpu);
    return found;
}

void add_topology(Section& section, const cpu_set_t& usable) {
    auto topology = launch::read_topology(usable);
    if (!topology) {
        section.facts.push_back({"cores", "usable cores", nullptr, topology.error().text()});
        return;
    }
    section.facts.push_back(
        {"cores", "usable cores", topology->cores.size(), format_text("{}", topology->cores.size())});
    Json nodes = Json::array();
    std::string text;
    for (const launch::CpuGroup& node : topology->numa_nodes) {
        nodes.push_back(number_list(node));
        text += format_text("{}CPUs {}", text.empty() ? "" : "; ", number_list(node));
    }
    section.facts.push_back(
        {"numa_nodes", "usable NUMA nodes", nodes, format_text("{}: {}", nodes.size(), text)});
}

} // namespace

Section machine_section() {
    utsname names{};
    ::uname(&names);
    Section section{"machine", "Machine", {}};
    section.facts = {word("cpu", "CPU", cpu_model(names)),
                     word("architecture", "architecture", names.machine),
                     word("kernel", "kernel", format_text("{} {}", names.sysname, names.release))};
    long online = ::sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t usable = usable_cpus();
    std::string usable_text = number_list(numbers(usable));
    section.facts.push_back({"online_cpus", "CPUs on line", online, format_text("{}", online)});
    section.facts.push_back({"affinity", "CPUs of this process", usable_text,
                             format_text("{}: {}", CPU_COUNT(&usable), usable_text)});
    add_topology(section, usable);
    int quota = cpu_quota();
    bool has_quota = quota != INT_MAX;
    section.facts.push_back({"cpu_quota", "quota of control groups", has_quota ? Json(quota) : Json(),
                             has_quota ? format_text("the time of {} CPUs", quota) : "none"});
    section.facts.push_back(
        {"usable_cpus", "PEs that run at once", usable_cpu_count(),
         format_text("{}: with more, a PE that waits yields its CPU from the start", usable_cpu_count())});
    return section;
}

} // namespace shm::info

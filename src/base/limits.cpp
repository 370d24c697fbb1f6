// SPDX-License-Identifier: Apache-2.0
#include "base/limits.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/file.hpp"

namespace shm {
namespace {

constexpr std::uint64_t kLargestReserve = std::uint64_t{256} << 20;

/// What the machine has left; where there is no /proc, without what its caches could give back.
MemoryLimit left_in_machine(const std::string& meminfo) {
    constexpr char kName[] = "the memory of this machine";
    std::istringstream lines(read_text(meminfo).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        std::uint64_t kib = 0;
        if (words >> key >> kib && key == "MemAvailable:")
            return {kib * 1024, machine_memory(), kName};
    }
    struct sysinfo machine {};
    constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
    if (::sysinfo(&machine) != 0)
        return {kUnknown, kUnknown, "no known limit"};
    return {(machine.freeram + machine.bufferram) * machine.mem_unit, machine_memory(), kName};
}

/// One group's limit and what is left of it. Cache of files counts as used there, but the kernel drops it on
/// demand.
std::optional<MemoryLimit> limit_of(const Cgroup::Level& level) {
    bool v2 = level.version == Cgroup::Version::v2;
    auto limit = level.number(v2 ? "memory.max" : "memory.limit_in_bytes");
    auto used = level.number(v2 ? "memory.current" : "memory.usage_in_bytes");
    if (!limit || !used)
        return std::nullopt;
    std::uint64_t droppable =
        level.number("memory.stat", v2 ? "inactive_file" : "total_inactive_file").value_or(0);
    std::uint64_t in_use = *used - std::min(*used, droppable);
    return MemoryLimit{*limit - std::min(*limit, in_use), *limit,
                       "the memory limit of control group " + level.folder};
}

/// A twentieth of the limit stays free for everything else and for the kernel's tables, but not more than a
/// fixed amount. (A twentieth of what is left would vanish as small pieces fill the rest.)
MemoryLimit without_reserve(MemoryLimit limit) {
    limit.bytes -= std::min({limit.bytes, limit.limit / 20, kLargestReserve});
    return limit;
}

} // namespace

MemoryLimit available_memory(const Cgroup& cgroup, const std::string& meminfo) {
    MemoryLimit tightest = without_reserve(left_in_machine(meminfo));
    for (const Cgroup::Level& level : cgroup.levels()) {
        auto known = limit_of(level);
        if (!known)
            continue;
        if (MemoryLimit limit = without_reserve(std::move(*known)); limit.bytes < tightest.bytes)
            tightest = std::move(limit);
    }
    return tightest;
}

std::uint64_t machine_memory() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace shm

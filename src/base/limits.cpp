// SPDX-License-Identifier: Apache-2.0
#include "base/limits.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include <unistd.h>

#include "base/file.hpp"

namespace shm {
namespace {

constexpr std::uint64_t kLargestReserve = std::uint64_t{256} << 20;

std::optional<std::uint64_t> mem_available(const std::string& meminfo) {
    std::istringstream lines(read_text(meminfo).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        std::uint64_t kib = 0;
        if (words >> key >> kib && key == "MemAvailable:")
            return kib * 1024;
    }
    return std::nullopt;
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

/// A twentieth stays free for everything else, but not more than a fixed amount.
std::uint64_t without_reserve(std::uint64_t bytes) {
    return bytes - std::min(bytes / 20, kLargestReserve);
}

} // namespace

MemoryLimit available_memory(const Cgroup& cgroup, const std::string& meminfo) {
    constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
    MemoryLimit tightest{kUnknown, kUnknown, "no known limit"};
    if (auto available = mem_available(meminfo))
        tightest = {*available, machine_memory(), "the memory of this machine"};
    for (const Cgroup::Level& level : cgroup.levels()) {
        auto limit = limit_of(level);
        if (limit && limit->bytes < tightest.bytes)
            tightest = std::move(*limit);
    }
    tightest.bytes = without_reserve(tightest.bytes);
    return tightest;
}

std::uint64_t machine_memory() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace shm

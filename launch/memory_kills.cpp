// SPDX-License-Identifier: Apache-2.0
#include "launch/memory_kills.hpp"

#include <utility>

#include "base/format.hpp"

namespace shm::launch {

namespace {

constexpr char kKey[] = "oom_kill";

} // namespace

MemoryKills::MemoryKills(Cgroup cgroup, std::string vmstat)
    : cgroup_(std::move(cgroup)), vmstat_(std::move(vmstat)), machine_at_start_(count_of_machine()) {
    for (const Cgroup::Level& level : cgroup_.levels())
        at_start_.push_back(count(level));
}

std::optional<std::uint64_t> MemoryKills::count(const Cgroup::Level& level) {
    return level.number(level.version == Cgroup::Version::v2 ? "memory.events" : "memory.oom_control", kKey);
}

std::optional<std::uint64_t> MemoryKills::count_of_machine() const {
    std::size_t slash = vmstat_.rfind('/');
    Cgroup::Level folder{Cgroup::Version::v1, vmstat_.substr(0, slash)};
    return folder.number(vmstat_.substr(slash + 1), kKey);
}

std::string MemoryKills::explain() const {
    auto has_risen = [](std::optional<std::uint64_t> before, std::optional<std::uint64_t> now) {
        return before && now && *now > *before;
    };
    // The innermost group first: that is the one whose limit was hit.
    for (std::size_t i = 0; i < at_start_.size(); ++i) {
        if (has_risen(at_start_[i], count(cgroup_.levels()[i])))
            return format_text(": out of memory in control group {}", cgroup_.levels()[i].folder);
    }
    if (has_risen(machine_at_start_, count_of_machine()))
        return ": perhaps out of memory: the kernel has just killed a process on this machine for that "
               "reason";
    return {};
}

} // namespace shm::launch

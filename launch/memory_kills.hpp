// SPDX-License-Identifier: Apache-2.0
// MemoryKills: whether the kernel has killed processes because memory ran out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cgroup.hpp"

namespace shm::launch {

class MemoryKills {
public:
    /// Counts from now on. The arguments name other files in tests.
    explicit MemoryKills(Cgroup cgroup = Cgroup("memory"), std::string vmstat = "/proc/vmstat");

    /// What to add to the news of a SIGKILL: ": out of memory in control group ..."; nothing when the kernel
    /// has killed nothing.
    std::string explain() const;

private:
    // Nothing where the kernel does not tell.
    static std::optional<std::uint64_t> count(const Cgroup::Level& level);
    std::optional<std::uint64_t> count_of_machine() const;

    Cgroup cgroup_;
    std::string vmstat_;
    std::vector<std::optional<std::uint64_t>> at_start_; // of each level of the control groups
    std::optional<std::uint64_t> machine_at_start_;
};

} // namespace shm::launch

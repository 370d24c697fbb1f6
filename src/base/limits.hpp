// SPDX-License-Identifier: Apache-2.0
// How much memory can still be taken. The kernel answers too much in a control group by killing, not by an
// error, so this is asked first.
#pragma once

#include <cstdint>
#include <string>

#include "base/cgroup.hpp"

namespace shm {

struct MemoryLimit {
    std::uint64_t bytes; // what is left of it, after a reserve for everything else that runs
    std::uint64_t limit; // all of it
    std::string name; // for messages: "the memory of this machine", "the memory limit of control group ..."
};

/// The tightest of the machine's available memory and the control groups' limits. The arguments name other
/// trees in tests.
MemoryLimit available_memory(const Cgroup& cgroup = Cgroup("memory"),
                             const std::string& meminfo = "/proc/meminfo");

/// All memory of the machine, in bytes.
std::uint64_t machine_memory();

} // namespace shm

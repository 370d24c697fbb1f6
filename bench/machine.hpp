// SPDX-License-Identifier: Apache-2.0
// What the benchmark runs on.
#pragma once

#include <cstdint>
#include <string>

namespace shm::bench {

struct Machine {
    std::string cpu_model;
    int cpus; // on line
    std::string kernel;
    std::int64_t page_bytes;
    std::uint64_t last_level_cache_bytes;      // 0 where unknown
    std::string transparent_huge_pages;        // the kernel's setting
    std::string transparent_huge_pages_shared; // the same for shared memory
    std::uint64_t memory_bytes;
};

Machine describe_machine();

/// Memory that this process can still take: the least of what the system has free and what its control groups
/// allow.
std::uint64_t available_memory();

/// Free bytes in /dev/shm, where POSIX shared memory lives; 0 when there is none.
std::uint64_t posix_shared_memory_room();

} // namespace shm::bench

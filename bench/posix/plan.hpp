// SPDX-License-Identifier: Apache-2.0
// How large and how long the run is; the same on every PE.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "posix/posix.hpp"

namespace shm::bench {

inline constexpr std::size_t kLargestMessage = std::size_t{1} << 20; // of the latency rows

/// Plain data: PE 0 makes it and tells the others.
struct Plan {
    std::size_t bytes;      // of the large transfer, a multiple of 4 KiB
    std::size_t ring_bytes; // of each direction of the tuned column's ring
    int rounds;
    int allocation_rounds;
    int thinning; // the small measurements take this part of their usual iterations
    bool posix;   // whether /dev/shm has room for the POSIX columns at all

    std::size_t buffer_bytes() const { return std::max(bytes, kLargestMessage); }
};

/// The plan, and a remark for each thing that is not as was asked or as usual.
std::pair<Plan, std::vector<std::string>> make_plan(const PosixOptions& options, int n_pes);

/// "1 GiB", "96 MiB", "4.5 GiB".
std::string format_bytes(double bytes);

} // namespace shm::bench

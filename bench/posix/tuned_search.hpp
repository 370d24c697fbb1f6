// SPDX-License-Identifier: Apache-2.0
// The search for the fastest settings of the ring: all combinations on a short transfer, the best of them on
// longer ones.
#pragma once

#include <functional>

#include "posix/tuned.hpp"

namespace shm::bench {

struct RingSearchResult {
    RingSettings settings;
    double gb_s; // in the last stage
};

/// Both PEs of the pair call it and get the same result. The sender's data is at `source`; `step` is called
/// after each of ring_search_steps() trials.
RingSearchResult search_ring(Pair& pair, TunedColumn& column, const Plan& plan, const std::byte* source,
                             const std::function<void()>& step);

/// How many trials the search makes.
int ring_search_steps(const Plan& plan);

/// "512 KiB x 8 slots, in by memcpy, out by rep movsb".
std::string describe(const RingSettings& settings);

} // namespace shm::bench

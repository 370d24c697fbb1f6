// SPDX-License-Identifier: Apache-2.0
// A fence whose cost falls on one side: the rare side asks the kernel to put a full fence into every running
// thread of every registered process (membarrier), so that the frequent side needs none.
#pragma once

#include "base/atomic.hpp"

namespace shm::asymmetric_fence {

/// Lets this process be reached by heavy(); false where the kernel has no membarrier.
bool register_process();

/// Whether every process that may call light() has registered; until told so, light() is a full fence.
void set_all_registered(bool all_registered);

namespace detail {
inline bool all_registered = false;
}

/// The frequent side: between a store and the load that must not overtake it.
inline void light() {
    if (detail::all_registered) [[likely]]
        compiler_fence();
    else
        full_fence();
}

/// Whether light() concerns the compiler alone.
inline bool light_is_free() {
    return detail::all_registered;
}

/// The rare side, likewise. Costs 0.4 µs, or 10 µs and an interrupt when a registered process runs elsewhere.
void heavy();

} // namespace shm::asymmetric_fence

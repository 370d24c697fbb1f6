// SPDX-License-Identifier: Apache-2.0
// Waiting in user space for something that another process is about to store.
#pragma once

#include <sched.h>

namespace shm::bench {

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Spins until ready() is true. Gives the CPU away now and then, so that two processes that happen to share
/// one CPU still come forward.
template <typename Ready>
inline void spin_until(Ready ready) {
    constexpr unsigned kSpinsBeforeYield = 500;
    for (unsigned spins = 1; !ready(); ++spins) {
        relax();
        if (spins % kSpinsBeforeYield == 0)
            sched_yield();
    }
}

} // namespace shm::bench

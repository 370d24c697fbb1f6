// SPDX-License-Identifier: Apache-2.0
// Keeps the calling thread on one CPU for a while.
#pragma once

#include <sched.h>

namespace shm::bench {

class Pinned {
public:
    /// Pins to the usable CPU number `rank`, counted from 0; leaves a thread alone that has one CPU or too
    /// few.
    explicit Pinned(int rank) {
        CPU_ZERO(&before_);
        if (sched_getaffinity(0, sizeof before_, &before_) != 0 || CPU_COUNT(&before_) <= 1)
            return;
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (!CPU_ISSET(cpu, &before_) || rank-- != 0)
                continue;
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            changed_ = sched_setaffinity(0, sizeof one, &one) == 0;
        }
    }
    ~Pinned() {
        if (changed_)
            sched_setaffinity(0, sizeof before_, &before_);
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

private:
    cpu_set_t before_;
    bool changed_ = false;
};

} // namespace shm::bench

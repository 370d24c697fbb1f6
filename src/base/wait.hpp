// SPDX-License-Identifier: Apache-2.0
// Waiter: the three stages of every wait: spin or yield, then sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <sched.h>

#include "base/atomic.hpp"
#include "base/wait_record.hpp"
#include "base/wake_up.hpp"

namespace shm {

/// How one process waits. Any number of its threads may wait at the same time.
class Waiter {
public:
    using Clock = std::chrono::steady_clock;

    /// `wake_up` and `waits_for` are this PE's, in shared memory. A wait spins for `spin_time` before it
    /// sleeps.
    Waiter(WakeUp& wake_up, std::atomic<WaitsFor>& waits_for, std::chrono::microseconds spin_time)
        : wake_up_(wake_up), waits_for_(waits_for), spin_time_(spin_time) {}

    /// With more PEs than CPUs, the one waited for may need this CPU: then yield at once instead of spinning.
    void set_yield(bool yield) { yield_ = yield; }

    /// Returns when `ready()`, which depends on memory at `position` only and loads with acquire order.
    template <typename Ready>
    void wait(WaitsFor what, Position position, Ready ready) {
        if (ready() || (yield_ ? yield_until(ready) : spin_until(ready)))
            return;
        // relaxed: shown to people, orders nothing.
        waits_for_.store(what, std::memory_order_relaxed);
        wake_up_.sleep_until(position, ready);
        waits_for_.store(WaitsFor::nothing, std::memory_order_relaxed);
    }

private:
    static constexpr int kSpinsPerLookAtClock = 64;
    static constexpr int kYieldsPerLookAtClock = 8;

    template <typename Ready>
    bool spin_until(Ready& ready) {
        return repeat_until<kSpinsPerLookAtClock>(ready, [] { cpu_relax(); });
    }

    template <typename Ready>
    bool yield_until(Ready& ready) {
        return repeat_until<kYieldsPerLookAtClock>(ready, [] { ::sched_yield(); });
    }

    /// False when `ready` did not come true within the spin time. The first look at the clock comes after the
    /// first round: a hand-off between two running PEs is shorter than reading the clock.
    template <int rounds, typename Ready, typename Pause>
    bool repeat_until(Ready& ready, Pause pause) {
        Clock::time_point end{};
        for (;;) {
            for (int round = 0; round < rounds; ++round) {
                pause();
                if (ready())
                    return true;
            }
            Clock::time_point now = Clock::now();
            if (end == Clock::time_point{})
                end = now + spin_time_;
            else if (now >= end)
                return false;
        }
    }

    WakeUp& wake_up_;
    std::atomic<WaitsFor>& waits_for_;
    std::chrono::microseconds spin_time_;
    bool yield_ = true;
};

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// Waiter: the three stages of every wait: spin or yield, then sleep. A wait that sleeps is shown to people.
#pragma once

#include <chrono>
#include <functional>

#include <sched.h>

#include "base/atomic.hpp"
#include "base/wait_record.hpp"
#include "base/wake_up.hpp"

namespace shm {

/// How one process waits. Any number of its threads may wait at the same time.
class Waiter {
public:
    using Clock = std::chrono::steady_clock;

    /// `wake_up` and `records` are this PE's, in shared memory. A wait spins for `spin_time` before it
    /// sleeps.
    Waiter(WakeUp& wake_up, WaitRecords& records, std::chrono::microseconds spin_time)
        : wake_up_(wake_up), records_(records), spin_time_(spin_time) {}

    /// With more PEs than CPUs, the one waited for may need this CPU: then yield at once instead of spinning.
    void set_yield(bool yield) { yield_ = yield; }

    /// Told of a wait that has lasted so long; returns how long it must have lasted to be told again.
    using Watch = std::function<Clock::duration(const WaitView& view, Clock::duration waited)>;

    /// From now on `watch` is called, in the waiting thread, in every wait that has lasted `first`. Called
    /// while no thread waits.
    void set_watch(Clock::duration first, Watch watch) {
        watch_from_ = first;
        watch_ = std::move(watch);
    }

    /// Returns when `ready()`, which depends on memory at `position` only and loads with acquire order.
    /// `describe()` gives the WaitView, without `since` and `thread`; it is called only when it comes to
    /// sleeping.
    template <typename Ready, typename Describe>
    void wait(Position position, Ready ready, Describe describe) {
        if (ready() || (yield_ ? yield_until(ready) : spin_until(ready)))
            return;
        sleep_until(position, ready, describe);
    }

private:
    /// A wait on its way through sleeps: in the records as long as it exists.
    class Shown {
    public:
        Shown(Waiter& waiter, const WaitView& view);
        Shown(const Shown&) = delete;
        Shown& operator=(const Shown&) = delete;
        ~Shown() { waiter_.records_.end(record_); }

        void look_at_clock() {
            if (waiter_.watch_)
                tell_watch();
        }

    private:
        void tell_watch();

        Waiter& waiter_;
        WaitView view_;
        int record_;
        Clock::duration told_next_;
    };

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

    template <typename Ready, typename Describe>
    [[gnu::noinline]] void sleep_until(Position position, Ready& ready, Describe& describe) {
        Shown shown(*this, describe());
        wake_up_.sleep_until(position, [&] {
            if (ready())
                return true;
            shown.look_at_clock();
            return false;
        });
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
    WaitRecords& records_;
    std::chrono::microseconds spin_time_;
    bool yield_ = true;
    Watch watch_;
    Clock::duration watch_from_{};
};

} // namespace shm

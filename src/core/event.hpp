// SPDX-License-Identifier: Apache-2.0
// EventCounters: the numbered events of a PE. They count, so that two signals satisfy two waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/wait.hpp"
#include "base/wake_up.hpp"

namespace shm {

inline constexpr int kEvents = 64;

/// One per PE, in shared memory; all bytes zero is a valid initial state.
class EventCounters {
public:
    /// For any PE: everything it did before is visible to who takes the signal.
    void signal(int id, WakeUp& wake_up_of_owner) {
        // release: publishes what the signaller did before; pairs with the acquire in wait().
        signalled_[id].value.fetch_add(1, std::memory_order_release);
        wake_up_of_owner.notify(position_of(id), 1);
    }

    /// For the owner's threads, in the public function `call`: waits for one signal and takes it. Waits are
    /// served in the order of their calls.
    void wait(const char* call, int id, Waiter& waiter) {
        // relaxed: a ticket number orders nothing.
        std::uint64_t ticket = taken_[id].fetch_add(1, std::memory_order_relaxed) + 1;
        waiter.wait(
            position_of(id),
            [this, id, ticket] {
                // acquire: see signal(). A difference, so that the counters may wrap.
                std::uint64_t signalled = signalled_[id].value.load(std::memory_order_acquire);
                return static_cast<std::int64_t>(signalled - ticket) >= 0;
            },
            [call, id] { return WaitView::of(call, WaitsFor::event, position_of(id)); });
    }

    /// Forgets all signals; for the owner, while nobody can signal.
    void reset() {
        for (int id = 0; id < kEvents; ++id) {
            signalled_[id].value.store(0, std::memory_order_relaxed);
            taken_[id].store(0, std::memory_order_relaxed);
        }
    }

    static Position position_of(int id) { return kEventPosition + kWatchedBytes * static_cast<Position>(id); }
    /// The event at a position that position_of() gave; nothing for any other.
    static std::optional<int> id_at(Position position) {
        Position number = (position - kEventPosition) / kWatchedBytes;
        if (number >= kEvents || position_of(static_cast<int>(number)) != position)
            return std::nullopt;
        return static_cast<int>(number);
    }

private:
    // Each count that others write has a line of its own; the owner's tickets lie elsewhere, so that taking
    // one does not pull that line away from a signaller.
    struct alignas(64) Counter {
        std::atomic<std::uint64_t> value;
    };
    Counter signalled_[kEvents];
    std::atomic<std::uint64_t> taken_[kEvents];
};

} // namespace shm

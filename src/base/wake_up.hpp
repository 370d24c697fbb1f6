// SPDX-License-Identifier: Apache-2.0
// WakeUp: how a PE that sleeps in the kernel is woken by a plain store of another one.
//
// A waiter announces itself, issues the heavy side of an asymmetric fence, looks at its word once more and
// sleeps. A writer stores, issues the light side, and looks for an announcement. Of the two, at least one
// sees the other's store, so either the waiter does not sleep or the writer wakes it; and the writer, whose
// side is the frequent one, pays a plain load of a line that nobody writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/asymmetric_fence.hpp"

namespace shm {

/// The largest word that a waiter watches: a write to any byte of it wakes.
inline constexpr std::size_t kWatchedBytes = 8;

/// Names the word that a waiter watches or a writer wrote: its offset in the heap, or one of these. A writer
/// wakes only those who watch what it wrote.
using Position = std::uint64_t;
inline constexpr Position kSharedPosition = Position{1} << 46; // + offset in the region of shared buffers
inline constexpr Position kEventPosition = Position{1} << 47;  // + kWatchedBytes * event number
inline constexpr Position kBarrierPosition = kEventPosition + 4096 * kWatchedBytes; // behind all events
inline constexpr Position kDomainPosition = kBarrierPosition + kWatchedBytes;
inline constexpr Position kAnyPosition = (Position{1} << 48) - 1; // woken by every write

/// One per PE, in shared memory; all bytes zero is a valid initial state.
class WakeUp {
public:
    /// For the writer, after its store of `bytes` bytes at `position` of this PE.
    void notify(Position position, std::size_t bytes) {
        asymmetric_fence::light();
        // relaxed: the fence above orders it; the announcement carries no data.
        std::uint64_t announced = announced_.load(std::memory_order_relaxed);
        if (announced != 0) [[unlikely]]
            wake(announced, position, bytes);
    }

    /// The word that notify() looks at, for writers that do so without it: not 0 while somebody sleeps.
    const std::uint64_t& announced_word() const {
        static_assert(sizeof announced_ == sizeof(std::uint64_t));
        return reinterpret_cast<const std::uint64_t&>(announced_);
    }

    /// For the PE itself: sleeps until `ready()`, which depends on memory at `position` only. A word that is
    /// written without notify (a plain store through shmem_ptr, a device) is looked at again every 10 ms.
    template <typename Ready>
    void sleep_until(Position position, Ready ready) {
        announce(position);
        asymmetric_fence::heavy();
        for (;;) {
            // acquire: read before ready(), so that a wake-up between the two ends the sleep at once.
            std::uint32_t sequence = sequence_.load(std::memory_order_acquire);
            if (ready())
                break;
            sleep(sequence);
        }
        withdraw();
    }

private:
    void announce(Position position);
    void withdraw();
    void wake(std::uint64_t announced, Position position, std::size_t bytes);
    void sleep(std::uint32_t sequence);

    // Number of sleeping threads in the upper 16 bits, what they watch in the lower 48: one word, so that a
    // writer sees a consistent pair.
    alignas(64) std::atomic<std::uint64_t> announced_;
    alignas(64) std::atomic<std::uint32_t> sequence_; // the futex: counts wake-ups
};

static_assert(sizeof(WakeUp) == 128);

} // namespace shm

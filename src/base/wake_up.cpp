// SPDX-License-Identifier: Apache-2.0
#include "base/wake_up.hpp"

#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shm {
namespace {

constexpr std::uint64_t kOneSleeper = std::uint64_t{1} << 48;
constexpr std::uint64_t kPositionMask = kOneSleeper - 1;
constexpr timespec kLongestSleep{0, 10'000'000};

} // namespace

void WakeUp::announce(Position position) {
    std::uint64_t old = announced_.load(std::memory_order_relaxed);
    std::uint64_t announced;
    do {
        // Two sleepers may watch different words: then every write wakes both.
        std::uint64_t watched = old == 0 ? position : kAnyPosition;
        announced = (old & ~kPositionMask) + kOneSleeper + watched;
        // relaxed: the heavy fence that follows orders it.
    } while (!announced_.compare_exchange_weak(old, announced, std::memory_order_relaxed));
}

void WakeUp::withdraw() {
    std::uint64_t old = announced_.load(std::memory_order_relaxed);
    std::uint64_t rest;
    do {
        rest = old - kOneSleeper;
        if (rest <= kPositionMask)
            rest = 0;
        // relaxed: a writer that still sees the announcement wakes nobody, which is harmless.
    } while (!announced_.compare_exchange_weak(old, rest, std::memory_order_relaxed));
}

void WakeUp::wake(std::uint64_t announced, Position position, std::size_t bytes) {
    Position watched = announced & kPositionMask;
    // What was written, [position, position + bytes), must overlap [watched, watched + kWatchedBytes).
    if (watched != kAnyPosition && watched + (kWatchedBytes - 1) - position >= bytes + (kWatchedBytes - 1))
        return;
    // release: whoever reads the new count, and so does not sleep, sees the store that it was woken for.
    sequence_.fetch_add(1, std::memory_order_release);
    ::syscall(SYS_futex, &sequence_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void WakeUp::sleep(std::uint32_t sequence) {
    ::syscall(SYS_futex, &sequence_, FUTEX_WAIT, sequence, &kLongestSleep, nullptr, 0);
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "posix/limit.hpp"

#include "copy_kinds.hpp"
#include "measure/clock.hpp"
#include "measure/spin.hpp"

namespace shm::bench {

namespace {

std::atomic<std::uint64_t>& line_of(Pair& pair, int pe) {
    return *static_cast<std::atomic<std::uint64_t>*>(shmem_ptr(&pair.job().area().hand_off, pe));
}

} // namespace

Limit::Limit(Pair& pair)
    : mine_(line_of(pair, pair.job().me())), theirs_(line_of(pair, pair.peer())), sends_(pair.sends()) {
    mine_.store(0);
    pair.meet();
}

void Limit::round_trips(int count) {
    const std::uint64_t last = trips_ + static_cast<std::uint64_t>(count);
    while (trips_ < last) {
        ++trips_;
        if (sends_)
            theirs_.store(trips_, std::memory_order_release);
        spin_until([&] { return mine_.load(std::memory_order_acquire) == trips_; });
        if (!sends_)
            theirs_.store(trips_, std::memory_order_release);
    }
}

std::int64_t time_copy(int kind, std::byte* destination, const std::byte* source, std::size_t bytes) {
    const CopyFunction copy = copy_kinds()[kind].copy;
    const std::int64_t start = now();
    copy(destination, source, bytes);
    return now() - start;
}

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
#include "posix/tuned.hpp"

#include <algorithm>

#include "copy_kinds.hpp"
#include "measure/spin.hpp"

namespace shm::bench {

namespace {

constexpr std::size_t kFlagsBytes = kSmallPage;
static_assert(2 * sizeof(RingFlags) <= kFlagsBytes);

RingFlags& flags_of(std::byte* memory, int direction) {
    return reinterpret_cast<RingFlags*>(memory)[direction];
}

} // namespace

std::size_t ring_segment_bytes(std::size_t ring_bytes) {
    return kFlagsBytes + 2 * ring_bytes;
}

TunedColumn::TunedColumn(std::byte* memory, std::size_t ring_bytes, std::byte* destination, bool sends)
    : outward_flags_(flags_of(memory, sends ? 0 : 1)), inward_flags_(flags_of(memory, sends ? 1 : 0)),
      outward_(memory + kFlagsBytes + (sends ? 0 : ring_bytes)),
      inward_(memory + kFlagsBytes + (sends ? ring_bytes : 0)), destination_(destination), sends_(sends) {}

void TunedColumn::send(const std::byte* source, std::size_t bytes) {
    const CopyFunction copy = ring_copy_kinds()[settings_.copy_in].copy;
    const auto slots = static_cast<std::uint64_t>(settings_.slots);
    for (std::size_t at = 0; at < bytes; at += settings_.chunk_bytes) {
        spin_until([&] { return filled_ - outward_flags_.drained.load(std::memory_order_acquire) < slots; });
        std::byte* slot = outward_ + filled_ % slots * settings_.chunk_bytes;
        copy(slot, source + at, std::min(settings_.chunk_bytes, bytes - at));
        outward_flags_.filled.store(++filled_, std::memory_order_release);
    }
}

const std::byte* TunedColumn::receive(std::size_t bytes) {
    const CopyFunction copy = ring_copy_kinds()[settings_.copy_out].copy;
    const auto slots = static_cast<std::uint64_t>(settings_.slots);
    for (std::size_t at = 0; at < bytes; at += settings_.chunk_bytes) {
        spin_until([&] { return inward_flags_.filled.load(std::memory_order_acquire) > drained_; });
        const std::byte* slot = inward_ + drained_ % slots * settings_.chunk_bytes;
        copy(destination_ + at, slot, std::min(settings_.chunk_bytes, bytes - at));
        inward_flags_.drained.store(++drained_, std::memory_order_release);
    }
    return destination_;
}

void TunedColumn::signal() {
    outward_flags_.pings.store(++pings_sent_, std::memory_order_release);
}

void TunedColumn::await() {
    ++pings_received_;
    spin_until([&] { return inward_flags_.pings.load(std::memory_order_acquire) >= pings_received_; });
}

void TunedColumn::round_trips(int count) {
    for (int trip = 0; trip < count; ++trip) {
        if (sends_)
            TunedColumn::signal();
        TunedColumn::await();
        if (!sends_)
            TunedColumn::signal();
    }
}

} // namespace shm::bench

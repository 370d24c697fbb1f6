// SPDX-License-Identifier: Apache-2.0
// POSIX shared memory as well as it can be used: a ring of chunks that sender and receiver work on at once,
// with flags in user space. How large the chunks are, how many, and how each side copies, is searched for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "posix/column.hpp"

namespace shm::bench {

/// How the ring is used; plain data, agreed between the PEs of a pair.
struct RingSettings {
    std::size_t chunk_bytes;
    int slots;
    int copy_in;  // index in ring_copy_kinds()
    int copy_out; // the same, of the receiver
};

/// One direction of the ring. Counters on cache lines of their own: each is written by one side only.
struct RingFlags {
    alignas(64) std::atomic<std::uint64_t> filled;  // chunks, by the sender
    alignas(64) std::atomic<std::uint64_t> drained; // chunks, by the receiver
    alignas(64) std::atomic<std::uint64_t> pings;
};

class TunedColumn : public Column {
public:
    /// `memory`: ring_segment_bytes(ring_bytes), shared with the peer and zero at first. `sends`: this PE is
    /// the sender of the pair and uses direction 0 to send. `destination` is private memory for what it
    /// receives.
    TunedColumn(std::byte* memory, std::size_t ring_bytes, std::byte* destination, bool sends);

    /// Both PEs change the settings at once, between two transfers. The ring must hold `settings`.
    void use(const RingSettings& settings) { settings_ = settings; }

    void send(const std::byte* source, std::size_t bytes) override;
    const std::byte* receive(std::size_t bytes) override;
    void signal() override;
    void await() override;
    void round_trips(int count) override;

private:
    RingFlags& outward_flags_;
    RingFlags& inward_flags_;
    std::byte* outward_;
    std::byte* inward_;
    std::byte* destination_;
    bool sends_;
    RingSettings settings_{};
    std::uint64_t filled_ = 0;
    std::uint64_t drained_ = 0;
    std::uint64_t pings_sent_ = 0;
    std::uint64_t pings_received_ = 0;
};

/// Bytes of shared memory behind a ring of `ring_bytes` per direction.
std::size_t ring_segment_bytes(std::size_t ring_bytes);

} // namespace shm::bench

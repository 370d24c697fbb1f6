// SPDX-License-Identifier: Apache-2.0
// The limit of the machine: one thread that copies as fast as it can, and one cache line that two CPUs hand
// to and fro.
#pragma once

#include <atomic>
#include <cstdint>

#include "posix/job.hpp"
#include "posix/record.hpp"

namespace shm::bench {

class Limit {
public:
    explicit Limit(Pair& pair);

    /// `count` hand-offs there and back; both call it, the sender of the pair begins.
    void round_trips(int count);

private:
    std::atomic<std::uint64_t>& mine_;   // this PE spins here
    std::atomic<std::uint64_t>& theirs_; // the peer spins there
    bool sends_;
    std::uint64_t trips_ = 0;
};

/// Nanoseconds that one thread needs to copy `bytes` with copy_kinds()[kind].
std::int64_t time_copy(int kind, std::byte* destination, const std::byte* source, std::size_t bytes);

} // namespace shm::bench

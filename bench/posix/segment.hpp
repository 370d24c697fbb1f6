// SPDX-License-Identifier: Apache-2.0
// A POSIX shared memory segment whose name is gone as soon as it is open: a crash leaves nothing in /dev/shm.
#pragma once

#include <cstddef>

#include "posix/job.hpp"

namespace shm::bench {

class Segment {
public:
    Segment() = default;
    Segment(Segment&& other) noexcept;
    Segment& operator=(Segment&& other) noexcept;
    ~Segment();

    /// A segment of this process alone; no page is taken yet. Empty on failure, errno says why.
    static Segment create(std::size_t bytes);

    /// A segment that both PEs of a pair map, its pages taken and zero. Both get one, or both get an empty
    /// one.
    static Segment create_shared(Pair& pair, std::size_t bytes);

    explicit operator bool() const { return start_ != nullptr; }
    std::byte* start() const { return start_; }
    std::size_t bytes() const { return bytes_; }

private:
    static Segment map(int descriptor, std::size_t bytes, int flags);

    std::byte* start_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace shm::bench

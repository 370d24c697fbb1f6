// SPDX-License-Identifier: Apache-2.0
// A way to move data from one process to another: one column of the comparison.
//
// The source is ordinary private memory of the sender. A transfer is done when the receiver can read the data
// in memory of its own, which no later transfer of the sender touches unless the receiver agrees.
#pragma once

#include <cstddef>
#include <memory>

#include "posix/job.hpp"
#include "posix/plan.hpp"
#include "posix/private_buffer.hpp"

namespace shm::bench {

class Column {
public:
    virtual ~Column() = default;

    /// Brings what this PE has mapped of the peer's memory, or of memory that both share, into the state of a
    /// program that has just mapped it: the first access to each page is a page fault again.
    virtual void forget_pages() {}

    /// Moves `bytes` at `source` to the peer, which must call receive. The peer must have shown (by a
    /// transfer of its own, or by signal) that it is done with what was sent before.
    virtual void send(const std::byte* source, std::size_t bytes) = 0;

    /// Waits for a transfer of the peer and returns where its data lies, until the next one.
    virtual const std::byte* receive(std::size_t bytes) = 0;

    /// One synchronisation, one way: a signal of the peer ends one await.
    virtual void signal() = 0;
    virtual void await() = 0;

    /// `count` times a signal to the peer and one back; both call it, the sender of the pair begins.
    virtual void round_trips(int count) = 0;
};

/// Each is made by both PEs of a pair at once. make_article's `destination` is private memory for what it
/// receives; it gives null, on both PEs, where the segment cannot be had. make_shmem's buffer is symmetric.
std::unique_ptr<Column> make_article(Pair& pair, const Plan& plan, std::byte* destination);
std::unique_ptr<Column> make_shmem(Pair& pair, const Plan& plan, std::byte* heap_buffer);

} // namespace shm::bench

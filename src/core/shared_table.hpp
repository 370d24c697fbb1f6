// SPDX-License-Identifier: Apache-2.0
// SharedTable: which parts of a node's region of shared buffers are in use. In shared memory, changed by one
// process at a time, and never left half changed by one that is killed meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include <pthread.h>

#include "base/shared_memory.hpp"

namespace shm {

class SharedTable {
public:
    static constexpr std::size_t kEntries = 16384; // shared buffers of a node at one time

    /// Makes zeroed memory a table; before any process uses it.
    void initialise();

    /// The lowest free place for `bytes` bytes within the first `capacity`, entered as used; nothing when
    /// there is none, or no entry. `alignment` is a power of two.
    std::optional<Extent> place(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t capacity);

    /// The extent that begins at `begin` is free again.
    void remove(std::uint64_t begin);

private:
    class Lock;

    // One store, that of `end`, enters or removes an extent: a process that dies in between has changed
    // nothing.
    struct Entry {
        std::atomic<std::uint64_t> begin;
        std::atomic<std::uint64_t> end; // 0: the entry is free
    };

    pthread_mutex_t mutex_;           // robust: survives the death of its owner
    std::atomic<std::uint32_t> used_; // no entry at or beyond this number is in use
    std::array<Entry, kEntries> entries_;
};

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// SymmetricHeap: the collective allocator of the symmetric heap. Works in offsets; who owns addresses adds
// the base.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/result.hpp"
#include "core/backend.hpp"
#include "core/barrier.hpp"
#include "core/extent_set.hpp"
#include "core/heap_map.hpp"

namespace shm {

class SymmetricHeap {
public:
    /// `cap` is the user's limit in bytes. Every PE passes equal values; `vote` and `barrier` join them.
    SymmetricHeap(HeapMemory& memory, std::uint64_t cap, int n_pes, Barrier& barrier, Vote& vote);

    /// Collective, ends with a barrier. The offset of a new object whose memory exists on every PE; nothing,
    /// on all PEs alike and with nothing changed, when it does not fit: then shortage() says why.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment);

    /// Collective, starts with a barrier; ends one too. False when no object begins at `offset`.
    bool free(std::uint64_t offset);

    /// Collective, ends with a barrier. Grows or shrinks the object without moving it; false, with nothing
    /// changed, where that cannot be done.
    bool resize(std::uint64_t offset, std::uint64_t bytes);

    /// The size asked for of the object that begins at `offset`; nothing when there is none.
    std::optional<std::uint64_t> size_of(std::uint64_t offset) const { return map_.size_of(offset); }

    /// The object that `offset` lies in; nothing where there is none. For any thread, at any time.
    std::optional<Extent> object_around(std::uint64_t offset) const {
        std::lock_guard lock(map_mutex_);
        return map_.object_around(offset);
    }

    /// No object lies at or beyond this offset.
    std::uint64_t extent() const { return map_.end(); }

    /// Why the last allocation failed.
    const Error& shortage() const { return shortage_; }

private:
    /// Changes the map, which other threads may be looking at.
    template <typename Change>
    auto change_map(Change change) {
        std::lock_guard lock(map_mutex_);
        return change(map_);
    }
    bool take(const char* call, Extent object);
    void give_back_gap(std::uint64_t offset);
    bool memory_suffices(std::uint64_t bytes);

    HeapMemory& memory_;
    int n_pes_;
    Barrier& barrier_;
    Vote& vote_;
    mutable std::mutex map_mutex_;
    HeapMap map_;
    ExtentSet taken_; // memory that exists, in whole granules
    std::uint64_t taken_bytes_ = 0;
    Error shortage_{"no allocation failed"};
};

} // namespace shm

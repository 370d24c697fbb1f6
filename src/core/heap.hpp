// SPDX-License-Identifier: Apache-2.0
// SymmetricHeap: the collective allocator of the symmetric heap. Works in offsets; who owns addresses adds
// the base.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "core/agreement.hpp"
#include "core/backend.hpp"
#include "core/extent_set.hpp"
#include "core/heap_map.hpp"
#include "core/object_lines.hpp"

namespace shm {

class SymmetricHeap {
public:
    struct Form {
        std::uint64_t cap;   // the user's limit in bytes
        const char* bound;   // what else limits the heap, for messages
        std::uintptr_t base; // address of offset 0, for messages
        bool keep_freed;     // SHMEM_CHECK: freed room is not used again at once
    };

    /// Every PE passes equal caps, and lines for so much of `memory`.
    SymmetricHeap(HeapMemory& memory, Form form, int n_pes, Agreement& agreement, Vote& vote,
                  ObjectLines lines);

    // Collective, under the name of the public function. An error when the PEs do not make the same call; it
    // changes nothing.

    /// Ends with a barrier. The offset of a new object whose memory exists on every PE; nothing, on all PEs
    /// alike and with nothing changed, when it does not fit: then shortage() says why.
    Result<std::optional<std::uint64_t>> allocate(const char* call, std::uint64_t bytes,
                                                  std::uint64_t alignment);

    /// Starts with a barrier. Frees the object that begins at `offset`; there is one.
    Result<void> free(const char* call, std::uint64_t offset);

    /// Ends with a barrier. Grows or shrinks the object without moving it; false, with nothing changed, where
    /// that cannot be done.
    Result<bool> resize(const char* call, std::uint64_t offset, std::uint64_t bytes);

    /// The size asked for of the object that begins at `offset`; nothing when there is none.
    std::optional<std::uint64_t> size_of(std::uint64_t offset) const;

    // By any thread, also while another one is in a collective call.

    /// Whether all of these bytes belong to one object.
    bool holds(std::uint64_t offset, std::uint64_t bytes) const {
        return bytes <= ObjectLines::kLongest ? lines_.hold(offset, bytes) : holds_many(offset, bytes);
    }
    const ObjectLines& lines() const { return lines_; }
    /// The object that `offset` lies in.
    std::optional<Extent> object_around(std::uint64_t offset) const;
    /// The object that `offset` lay in and that is freed, as far as that is remembered.
    std::optional<Extent> freed_object_around(std::uint64_t offset) const;

    /// No object lies at or beyond this offset.
    std::uint64_t extent() const { return map_.end(); }

    /// Why the last allocation failed.
    const Error& shortage() const { return shortage_; }

private:
    Result<std::optional<std::uint64_t>> refuse(const CollectiveCall& call);
    std::optional<std::uint64_t> place(std::uint64_t bytes, std::uint64_t alignment);
    std::vector<Extent> missing_memory(Extent object) const;
    void plan(CollectiveCall& call, std::uint64_t bytes);
    Result<bool> agree_and_take(const CollectiveCall& call, Extent object);
    bool take(const char* call, const std::vector<Extent>& missing, Extent object);
    void give_back_gap(std::uint64_t offset);
    void give_back(Extent unused);
    void keep_freed(Extent object);
    void release_oldest();
    bool holds_many(std::uint64_t offset, std::uint64_t bytes) const;
    Error no_room(std::uint64_t alignment) const;

    HeapMemory& memory_;
    Form form_;
    int n_pes_;
    Agreement& agreement_;
    Vote& vote_;
    mutable std::mutex map_mutex_; // for those who look while another thread changes map_ or freed_
    HeapMap map_;
    ObjectLines lines_;
    std::deque<Extent> freed_; // what keep_freed keeps, the oldest first; the map has these objects still
    std::uint64_t freed_bytes_ = 0;
    ExtentSet taken_; // memory that exists, in whole granules
    std::uint64_t taken_bytes_ = 0;
    Error shortage_{"no allocation failed"};
};

} // namespace shm

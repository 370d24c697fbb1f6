// SPDX-License-Identifier: Apache-2.0
// HeapMap: which part of the symmetric heap is whose. It lives outside the heap, which may be memory that the
// host cannot read, and depends on nothing but the calls made: PEs that make the same calls get the same
// offsets without talking.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/shared_memory.hpp"

namespace shm {

class HeapMap {
public:
    /// Objects are placed within the first `capacity` bytes.
    explicit HeapMap(std::uint64_t capacity);

    /// The smallest gap that fits, lowest address first; nothing when none does. `alignment` is a power of
    /// two.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment);

    /// The object that begins at `offset` becomes free; false when there is none. Neighbouring gaps join.
    bool free(std::uint64_t offset);

    /// Makes the object at `offset` end at a new size, without moving it; false when what follows is in use.
    bool resize(std::uint64_t offset, std::uint64_t bytes);

    /// The size asked for of the object that begins at `offset`; nothing when there is none.
    std::optional<std::uint64_t> size_of(std::uint64_t offset) const;

    /// The bytes of the object that `offset` lies in (or in the unused rest of its last line); nothing when
    /// there is none.
    std::optional<Extent> object_around(std::uint64_t offset) const;

    /// The gap that `offset` lies in; empty when an object is there.
    Extent gap_around(std::uint64_t offset) const;

    /// The end of the last object.
    std::uint64_t end() const;

    std::uint64_t capacity() const { return capacity_; }
    /// The room of all objects.
    std::uint64_t used_bytes() const { return used_bytes_; }
    std::uint64_t largest_gap() const { return gaps_by_size_.empty() ? 0 : gaps_by_size_.rbegin()->first; }

private:
    struct Object {
        std::uint64_t end;   // of its room, a multiple of the least alignment
        std::uint64_t bytes; // asked for
    };

    std::optional<std::uint64_t> room_end(std::uint64_t offset, std::uint64_t bytes) const;
    void add_gap(Extent gap);
    void remove_gap(Extent gap);

    std::uint64_t capacity_;
    std::uint64_t used_bytes_ = 0;
    std::map<std::uint64_t, Object> objects_;                        // by begin
    std::map<std::uint64_t, std::uint64_t> gaps_;                    // begin -> end
    std::set<std::pair<std::uint64_t, std::uint64_t>> gaps_by_size_; // bytes, begin
};

} // namespace shm

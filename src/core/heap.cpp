// SPDX-License-Identifier: Apache-2.0
#include "core/heap.hpp"

#include <algorithm>

namespace shm {
namespace {

// Of all freed memory so much is kept, so that a loop of small allocations makes no system calls.
constexpr std::uint64_t kKept = std::uint64_t{4} << 20;

// The public functions that these barriers belong to.
constexpr char kAllocate[] = "shmem_malloc";
constexpr char kFree[] = "shmem_free";
constexpr char kResize[] = "shmem_realloc";

} // namespace

SymmetricHeap::SymmetricHeap(HeapMemory& memory, std::uint64_t cap, int n_pes, Barrier& barrier, Vote& vote)
    : memory_(memory), n_pes_(n_pes), barrier_(barrier), vote_(vote), map_(std::min(cap, memory.capacity())) {
}

std::optional<std::uint64_t> SymmetricHeap::allocate(std::uint64_t bytes, std::uint64_t alignment) {
    // Large objects begin where a huge page can.
    if (bytes >= kHugePage)
        alignment = std::max<std::uint64_t>(alignment, kHugePage);
    auto offset = change_map([&](HeapMap& map) { return map.allocate(bytes, alignment); });
    if (!offset) {
        // The map is the same on all PEs, and so is this answer.
        shortage_ = fail("the largest free piece of the heap has {} of {} bytes (the cap is "
                         "SHMEM_SYMMETRIC_SIZE, or what the "
                         "machine has)",
                         map_.largest_gap(), map_.capacity());
        barrier_.wait(kAllocate);
        return std::nullopt;
    }
    if (take(kAllocate, {*offset, *offset + bytes}))
        return offset;
    change_map([&](HeapMap& map) { return map.free(*offset); });
    return std::nullopt;
}

bool SymmetricHeap::free(std::uint64_t offset) {
    barrier_.wait(kFree);
    if (!change_map([&](HeapMap& map) { return map.free(offset); }))
        return false;
    give_back_gap(offset);
    return true;
}

bool SymmetricHeap::resize(std::uint64_t offset, std::uint64_t bytes) {
    std::uint64_t old_bytes = *map_.size_of(offset);
    if (!change_map([&](HeapMap& map) { return map.resize(offset, bytes); })) {
        barrier_.wait(kResize);
        return false;
    }
    if (bytes <= old_bytes) {
        barrier_.wait(kResize);
        give_back_gap(offset + old_bytes - 1);
        return true;
    }
    if (take(kResize, {offset, offset + bytes}))
        return true;
    change_map([&](HeapMap& map) { return map.resize(offset, old_bytes); });
    return false;
}

/// Makes all memory of a new object exist, on all PEs or on none. A barrier.
bool SymmetricHeap::take(const char* call, Extent object) {
    Extent granules{round_down(object.begin, memory_.granule()), round_up(object.end, memory_.granule())};
    auto missing = taken_.missing(granules);
    if (missing.empty()) {
        barrier_.wait(call);
        return true;
    }
    // Everybody looks before anybody takes: the kernel might kill instead of refusing.
    bool suffices = memory_suffices(total_bytes(missing));
    if (!vote_.unanimous(call, suffices)) {
        if (suffices)
            shortage_ = fail("another PE finds too little memory left");
        return false;
    }
    std::size_t done = 0;
    for (; done < missing.size(); ++done)
        if (auto taken = memory_.take(missing[done]); !taken) {
            shortage_ = taken.error();
            break;
        }
    bool complete = done == missing.size();
    if (!vote_.unanimous(call, complete)) {
        if (complete)
            shortage_ = fail("another PE could not take its memory");
        while (done > 0)
            memory_.give_back(missing[--done]);
        return false;
    }
    for (Extent extent : missing)
        taken_.add(extent);
    taken_bytes_ += total_bytes(missing);
    return true;
}

bool SymmetricHeap::memory_suffices(std::uint64_t bytes) {
    MemoryLimit available = memory_.available();
    shortage_ = fail("{} PEs need {} bytes each, and {} leaves {} bytes to all of them", n_pes_, bytes,
                     available.name, available.bytes);
    return bytes <= available.bytes / static_cast<std::uint64_t>(n_pes_);
}

/// Gives memory that no object touches any more back to the system, unless it is little.
void SymmetricHeap::give_back_gap(std::uint64_t offset) {
    Extent gap = map_.gap_around(offset);
    Extent granules{round_up(gap.begin, memory_.granule()), round_down(gap.end, memory_.granule())};
    if (granules.begin >= granules.end)
        return;
    if (taken_bytes_ - map_.used_bytes() <= kKept)
        return;
    auto idle = taken_.within(granules);
    for (Extent extent : idle)
        memory_.give_back(extent);
    taken_.remove(granules);
    taken_bytes_ -= total_bytes(idle);
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "core/heap.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "core/window.hpp"

namespace shm {
namespace {

// Of all freed memory so much is kept, so that a loop of small allocations makes no system calls.
constexpr std::uint64_t kKept = std::uint64_t{4} << 20;

// Addresses are plenty: freed objects keep at most this part of them.
constexpr std::uint64_t kFreedPart = 4;
constexpr std::size_t kMostFreed = 100'000;

} // namespace

SymmetricHeap::SymmetricHeap(HeapMemory& memory, Form form, int n_pes, Agreement& agreement, Vote& vote,
                             ObjectLines lines)
    : memory_(memory), form_(form), n_pes_(n_pes), agreement_(agreement), vote_(vote),
      map_(std::min(form.cap, memory.capacity())), lines_(std::move(lines)) {}

Result<std::optional<std::uint64_t>> SymmetricHeap::allocate(const char* call, std::uint64_t bytes,
                                                             std::uint64_t alignment) {
    CollectiveCall mine{call, {{{"size", bytes}, {"alignment", alignment}}}};
    // The map is the same on all PEs; so is the answer, as long as their arguments are.
    auto offset = place(bytes, alignment);
    if (!offset)
        return refuse(mine);
    auto taken = agree_and_take(mine, {*offset, *offset + bytes});
    if (taken && *taken)
        return offset;
    std::lock_guard lock(map_mutex_);
    map_.free(*offset);
    if (!taken)
        return taken.error();
    return std::optional<std::uint64_t>();
}

/// No room: if all PEs say so, they try once more without what keep_freed keeps.
Result<std::optional<std::uint64_t>> SymmetricHeap::refuse(const CollectiveCall& call) {
    const auto [size, alignment] = call.arguments;
    if (auto same = agreement_.meet(call); !same)
        return same.error();
    shortage_ = no_room(alignment.value);
    if (freed_.empty())
        return std::optional<std::uint64_t>();
    {
        std::lock_guard lock(map_mutex_);
        while (!freed_.empty())
            release_oldest();
    }
    return allocate(call.function, size.value, alignment.value);
}

Result<void> SymmetricHeap::free(const char* call, std::uint64_t offset) {
    // As resize() has them: realloc may do either.
    CollectiveCall mine{call, {{{"size", 0}, {"ptr", offset, form_.base}}}};
    if (auto same = agreement_.meet(mine); !same)
        return same.error();
    Extent object{offset, offset + *size_of(offset)};
    lines_.remove(object);
    if (form_.keep_freed) {
        keep_freed(object);
        return {};
    }
    {
        std::lock_guard lock(map_mutex_);
        map_.free(offset);
    }
    give_back_gap(offset);
    return {};
}

Result<bool> SymmetricHeap::resize(const char* call, std::uint64_t offset, std::uint64_t bytes) {
    CollectiveCall mine{call, {{{"size", bytes}, {"ptr", offset, form_.base}}}};
    std::uint64_t old_bytes = *size_of(offset);
    Extent old_object{offset, offset + old_bytes};
    Extent object{offset, offset + bytes};
    bool fits = [&] {
        std::lock_guard lock(map_mutex_);
        return map_.resize(offset, bytes);
    }();
    lines_.remove(old_object);
    mine.able = fits;
    auto taken = fits ? agree_and_take(mine, object) : agreement_.meet(mine);
    if (taken && *taken) {
        if (bytes < old_bytes)
            give_back_gap(old_object.end - 1);
        return true;
    }
    lines_.add(old_object); // its memory is there
    if (fits) {
        std::lock_guard lock(map_mutex_);
        map_.resize(offset, old_bytes);
    }
    return taken;
}

/// Room for an object. Large ones begin where a huge page can.
std::optional<std::uint64_t> SymmetricHeap::place(std::uint64_t bytes, std::uint64_t alignment) {
    if (alignment > kWindowAlignment)
        return std::nullopt;
    if (bytes >= kHugePage)
        alignment = std::max<std::uint64_t>(alignment, kHugePage);
    std::lock_guard lock(map_mutex_);
    return map_.allocate(bytes, alignment);
}

std::vector<Extent> SymmetricHeap::missing_memory(Extent object) const {
    return taken_.missing(
        {round_down(object.begin, memory_.granule()), round_up(object.end, memory_.granule())});
}

/// Everybody looks before anybody takes: the kernel might kill instead of refusing.
void SymmetricHeap::plan(CollectiveCall& call, std::uint64_t bytes) {
    if (bytes == 0)
        return;
    call.left = memory_.available();
    call.able = bytes <= call.left.bytes / static_cast<std::uint64_t>(n_pes_);
}

/// Makes all memory of an object exist, on all PEs or on none, and enters its lines. A barrier.
Result<bool> SymmetricHeap::agree_and_take(const CollectiveCall& call, Extent object) {
    auto missing = missing_memory(object);
    CollectiveCall mine = call;
    plan(mine, total_bytes(missing));
    auto able = agreement_.meet(mine);
    if (!able)
        return able;
    if (!*able) {
        const auto& [pe, left] = agreement_.shortage();
        shortage_ = fail("{} are left of {} ({}), as PE {} finds", bytes_text(left.bytes), left.name,
                         bytes_text(left.limit), pe);
        return false;
    }
    if (!missing.empty())
        return take(call.function, missing, object);
    lines_.add(object); // cannot fail: where memory exists, the lines are writable
    return true;
}

bool SymmetricHeap::take(const char* call, const std::vector<Extent>& missing, Extent object) {
    std::size_t done = 0;
    for (; done < missing.size(); ++done)
        if (auto taken = memory_.take(missing[done]); !taken) {
            shortage_ = taken.error();
            break;
        }
    bool complete = done == missing.size();
    if (complete && !lines_.add(object)) {
        shortage_ = fail("cannot keep book of {}", bytes_text(object.bytes())).because(system_error());
        complete = false;
    }
    if (!vote_.unanimous(call, complete)) {
        if (complete) {
            lines_.remove(object);
            shortage_ = fail("another PE could not take its memory");
        }
        while (done > 0)
            memory_.give_back(missing[--done]);
        return false;
    }
    for (Extent extent : missing)
        taken_.add(extent);
    taken_bytes_ += total_bytes(missing);
    return true;
}

/// Why the map has no place for an object; the same on all PEs.
Error SymmetricHeap::no_room(std::uint64_t alignment) const {
    if (alignment > kWindowAlignment)
        return fail("it can be aligned to {} at most, not to {}", bytes_text(kWindowAlignment),
                    bytes_text(alignment));
    if (form_.cap == 0)
        return fail("SHMEM_SYMMETRIC_SIZE=0 forbids allocation");
    return fail("the largest free piece of each PE's heap has {}, of {} in all ({})",
                bytes_text(map_.largest_gap()), bytes_text(map_.capacity()),
                form_.cap < memory_.capacity() ? "SHMEM_SYMMETRIC_SIZE" : form_.bound);
}

/// Gives memory that no object touches any more back to the system, unless it is little.
void SymmetricHeap::give_back_gap(std::uint64_t offset) {
    if (taken_bytes_ - std::min(taken_bytes_, map_.used_bytes()) > kKept)
        give_back(map_.gap_around(offset));
}

void SymmetricHeap::give_back(Extent unused) {
    Extent granules{round_up(unused.begin, memory_.granule()), round_down(unused.end, memory_.granule())};
    if (granules.begin >= granules.end)
        return;
    auto idle = taken_.within(granules);
    for (Extent extent : idle)
        memory_.give_back(extent);
    taken_.remove(granules);
    taken_bytes_ -= total_bytes(idle);
}

/// The room of a freed object stays its own for long, so that its use is noticed; its memory goes.
void SymmetricHeap::keep_freed(Extent object) {
    give_back(object);
    std::lock_guard lock(map_mutex_);
    freed_.push_back(object);
    freed_bytes_ += object.bytes();
    while (freed_.size() > kMostFreed || freed_bytes_ > map_.capacity() / kFreedPart)
        release_oldest();
}

/// With map_mutex_ held.
void SymmetricHeap::release_oldest() {
    Extent object = freed_.front();
    freed_.pop_front();
    freed_bytes_ -= object.bytes();
    map_.free(object.begin);
    give_back_gap(object.begin);
}

std::optional<std::uint64_t> SymmetricHeap::size_of(std::uint64_t offset) const {
    // Lines know what is freed, the map what its size was.
    return lines_.hold(offset, 1) ? map_.size_of(offset) : std::nullopt;
}

bool SymmetricHeap::holds_many(std::uint64_t offset, std::uint64_t bytes) const {
    auto object = object_around(offset);
    return object && offset <= object->end && bytes <= object->end - offset;
}

std::optional<Extent> SymmetricHeap::object_around(std::uint64_t offset) const {
    std::lock_guard lock(map_mutex_);
    auto object = map_.object_around(offset);
    return object && lines_.hold(object->begin, 1) ? object : std::nullopt;
}

std::optional<Extent> SymmetricHeap::freed_object_around(std::uint64_t offset) const {
    std::lock_guard lock(map_mutex_);
    for (Extent object : freed_)
        if (object.begin <= offset && offset < object.end)
            return object;
    return std::nullopt;
}

} // namespace shm

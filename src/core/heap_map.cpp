// SPDX-License-Identifier: Apache-2.0
#include "core/heap_map.hpp"

#include <iterator>

#include "core/object_lines.hpp"

namespace shm {
HeapMap::HeapMap(std::uint64_t capacity) : capacity_(round_down(capacity, kLine)), used_bytes_(capacity_) {
    if (capacity_ > 0)
        add_gap({0, capacity_});
}

std::optional<std::uint64_t> HeapMap::allocate(std::uint64_t bytes, std::uint64_t alignment) {
    alignment = std::max(alignment, kLine);
    for (auto gap = gaps_by_size_.lower_bound({bytes, 0}); gap != gaps_by_size_.end(); ++gap) {
        Extent whole{gap->second, gap->second + gap->first};
        std::uint64_t begin = round_up(whole.begin, alignment);
        if (begin > whole.end || bytes > whole.end - begin)
            continue;
        std::uint64_t end = round_up(begin + bytes, kLine);
        remove_gap(whole);
        if (whole.begin < begin)
            add_gap({whole.begin, begin});
        if (end < whole.end)
            add_gap({end, whole.end});
        objects_.emplace(begin, Object{end, bytes});
        return begin;
    }
    return std::nullopt;
}

bool HeapMap::free(std::uint64_t offset) {
    auto object = objects_.find(offset);
    if (object == objects_.end())
        return false;
    Extent gap{offset, object->second.end};
    objects_.erase(object);
    add_gap(gap);
    return true;
}

std::optional<std::uint64_t> HeapMap::room_end(std::uint64_t offset, std::uint64_t bytes) const {
    auto object = objects_.find(offset);
    std::uint64_t room = object->second.end;
    if (auto gap = gaps_.find(room); gap != gaps_.end())
        room = gap->second;
    if (bytes > room - offset)
        return std::nullopt;
    return round_up(offset + bytes, kLine);
}

bool HeapMap::resize(std::uint64_t offset, std::uint64_t bytes) {
    auto end = room_end(offset, bytes);
    if (!end)
        return false;
    Object& object = objects_.find(offset)->second;
    if (auto gap = gaps_.find(object.end); gap != gaps_.end() && *end > object.end) {
        Extent whole{gap->first, gap->second};
        remove_gap(whole);
        if (*end < whole.end)
            add_gap({*end, whole.end});
    } else if (*end < object.end) {
        add_gap({*end, object.end});
    }
    object = {*end, bytes};
    return true;
}

std::optional<std::uint64_t> HeapMap::size_of(std::uint64_t offset) const {
    auto object = objects_.find(offset);
    if (object == objects_.end())
        return std::nullopt;
    return object->second.bytes;
}

std::optional<Extent> HeapMap::object_around(std::uint64_t offset) const {
    auto next = objects_.upper_bound(offset);
    if (next == objects_.begin())
        return std::nullopt;
    auto [begin, object] = *std::prev(next);
    if (offset >= object.end)
        return std::nullopt;
    return Extent{begin, begin + object.bytes};
}

Extent HeapMap::gap_around(std::uint64_t offset) const {
    auto next = gaps_.upper_bound(offset);
    if (next == gaps_.begin() || std::prev(next)->second <= offset)
        return {offset, offset};
    return {std::prev(next)->first, std::prev(next)->second};
}

std::uint64_t HeapMap::end() const {
    return objects_.empty() ? 0 : objects_.rbegin()->second.end;
}

void HeapMap::add_gap(Extent gap) {
    used_bytes_ -= gap.bytes();
    auto next = gaps_.lower_bound(gap.begin);
    if (next != gaps_.end() && next->first == gap.end) {
        gap.end = next->second;
        gaps_by_size_.erase({next->second - next->first, next->first});
        next = gaps_.erase(next);
    }
    if (next != gaps_.begin() && std::prev(next)->second == gap.begin) {
        auto previous = std::prev(next);
        gap.begin = previous->first;
        gaps_by_size_.erase({previous->second - previous->first, previous->first});
        gaps_.erase(previous);
    }
    gaps_.emplace(gap.begin, gap.end);
    gaps_by_size_.emplace(gap.bytes(), gap.begin);
}

void HeapMap::remove_gap(Extent gap) {
    used_bytes_ += gap.bytes();
    gaps_.erase(gap.begin);
    gaps_by_size_.erase({gap.bytes(), gap.begin});
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// A set of bytes as disjoint extents, neighbours joined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "base/shared_memory.hpp"

namespace shm {

class ExtentSet {
public:
    void add(Extent extent) {
        auto next = extents_.upper_bound(extent.begin);
        if (next != extents_.begin() && std::prev(next)->second >= extent.begin) {
            --next;
            extent.begin = next->first;
        }
        while (next != extents_.end() && next->first <= extent.end) {
            extent.end = std::max(extent.end, next->second);
            next = extents_.erase(next);
        }
        extents_.emplace(extent.begin, extent.end);
    }

    void remove(Extent extent) {
        for (Extent part : within(extent)) {
            auto found = std::prev(extents_.upper_bound(part.begin));
            Extent whole{found->first, found->second};
            extents_.erase(found);
            if (whole.begin < part.begin)
                extents_.emplace(whole.begin, part.begin);
            if (part.end < whole.end)
                extents_.emplace(part.end, whole.end);
        }
    }

    /// The parts of `extent` that are in the set, in order.
    std::vector<Extent> within(Extent extent) const {
        std::vector<Extent> parts;
        auto next = extents_.upper_bound(extent.begin);
        if (next != extents_.begin())
            --next;
        for (; next != extents_.end() && next->first < extent.end; ++next) {
            Extent part{std::max(next->first, extent.begin), std::min(next->second, extent.end)};
            if (part.begin < part.end)
                parts.push_back(part);
        }
        return parts;
    }

    /// The parts of `extent` that are not in the set, in order.
    std::vector<Extent> missing(Extent extent) const {
        std::vector<Extent> parts;
        for (Extent present : within(extent)) {
            if (extent.begin < present.begin)
                parts.push_back({extent.begin, present.begin});
            extent.begin = present.end;
        }
        if (extent.begin < extent.end)
            parts.push_back(extent);
        return parts;
    }

private:
    std::map<std::uint64_t, std::uint64_t> extents_; // begin -> end
};

inline std::uint64_t total_bytes(const std::vector<Extent>& extents) {
    std::uint64_t bytes = 0;
    for (Extent extent : extents)
        bytes += extent.bytes();
    return bytes;
}

} // namespace shm

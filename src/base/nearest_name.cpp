// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace shm {

std::size_t edit_distance(std::string_view one, std::string_view other) {
    // Rows of the table of distances between beginnings of the two: this one and the two before it.
    std::vector<std::size_t> before_last, last, row(other.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= one.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            bool same = one[i - 1] == other[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
            if (swapped)
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row.back();
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates) {
    std::optional<std::string_view> nearest;
    std::size_t least = 0;
    for (std::string_view candidate : candidates) {
        std::size_t distance = edit_distance(name, candidate);
        bool near = distance <= std::max(name.size(), candidate.size()) / 3;
        if (near && (!nearest || distance < least)) {
            nearest = candidate;
            least = distance;
        }
    }
    return nearest;
}

} // namespace shm

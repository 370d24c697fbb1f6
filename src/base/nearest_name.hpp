// SPDX-License-Identifier: Apache-2.0
// Which name somebody may have meant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace shm {

/// How many characters must be inserted, left out, replaced or swapped with their neighbour to turn one text
/// into the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The candidate that `name` resembles most; nothing when it would have to change in more than a third of its
/// characters. The first of several that are equally near.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates);

} // namespace shm

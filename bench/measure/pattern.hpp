// SPDX-License-Identifier: Apache-2.0
// What transfers carry: words that depend on their place and on a seed, so that neither a lost, a misplaced
// nor a stale word can pass for the right one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shm::bench {

inline constexpr std::uint64_t kPatternStep = 0x9e3779b97f4a7c15;

inline std::uint64_t pattern_word(std::uint64_t seed, std::size_t index) {
    return seed + index * kPatternStep;
}

/// Fills `bytes` (a multiple of 8) at the 8-byte aligned `start`.
void fill_pattern(std::byte* start, std::size_t bytes, std::uint64_t seed);

/// Whether the words first_index, first_index + 1, ... of the pattern lie in `bytes` at `start`.
bool holds_pattern(const std::byte* start, std::size_t bytes, std::uint64_t seed,
                   std::size_t first_index = 0);

} // namespace shm::bench

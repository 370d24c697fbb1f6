// SPDX-License-Identifier: Apache-2.0
#include "measure/pattern.hpp"

namespace shm::bench {

void fill_pattern(std::byte* start, std::size_t bytes, std::uint64_t seed) {
    auto* words = reinterpret_cast<std::uint64_t*>(start);
    for (std::size_t index = 0; index < bytes / sizeof *words; ++index)
        words[index] = pattern_word(seed, index);
}

bool holds_pattern(const std::byte* start, std::size_t bytes, std::uint64_t seed, std::size_t first_index) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(start);
    std::uint64_t difference = 0; // without a branch in the loop the compiler can use vector registers
    for (std::size_t index = 0; index < bytes / sizeof *words; ++index)
        difference |= words[index] ^ pattern_word(seed, first_index + index);
    return difference == 0;
}

} // namespace shm::bench

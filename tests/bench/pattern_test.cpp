// SPDX-License-Identifier: Apache-2.0
#include "measure/pattern.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace shm::bench {
namespace {

constexpr std::size_t kBytes = 4096 + 8;
constexpr std::uint64_t kSeed = 77;

std::vector<std::byte> filled() {
    std::vector<std::byte> memory(kBytes);
    fill_pattern(memory.data(), kBytes, kSeed);
    return memory;
}

TEST(Pattern, what_was_filled_is_recognised) {
    EXPECT_TRUE(holds_pattern(filled().data(), kBytes, kSeed));
}

TEST(Pattern, one_changed_bit_anywhere_is_noticed) {
    std::vector<std::byte> memory = filled();
    for (std::size_t at = 0; at < kBytes; ++at) {
        memory[at] ^= std::byte{0x10};
        EXPECT_FALSE(holds_pattern(memory.data(), kBytes, kSeed)) << "byte " << at;
        memory[at] ^= std::byte{0x10};
    }
}

TEST(Pattern, data_of_an_earlier_transfer_is_noticed) {
    EXPECT_FALSE(holds_pattern(filled().data(), kBytes, kSeed + 1));
}

TEST(Pattern, a_part_is_recognised_at_its_own_place_only) {
    const std::vector<std::byte> memory = filled();
    EXPECT_TRUE(holds_pattern(memory.data() + 16, kBytes - 16, kSeed, 2));
    EXPECT_FALSE(holds_pattern(memory.data() + 16, kBytes - 16, kSeed, 1));
}

} // namespace
} // namespace shm::bench

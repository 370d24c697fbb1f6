// SPDX-License-Identifier: Apache-2.0
#include "copy_kinds.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace shm::bench {
namespace {

constexpr std::byte kUntouched{0xee};

std::vector<std::byte> counting(std::size_t bytes) {
    std::vector<std::byte> memory(bytes);
    for (std::size_t at = 0; at < bytes; ++at)
        memory[at] = static_cast<std::byte>(at * 7 + at / 256);
    return memory;
}

TEST(CopyKinds, each_copies_all_bytes_and_no_other_whatever_size_and_alignment) {
    const std::vector<std::byte> source = counting(3000);
    for (const CopyKind& kind : copy_kinds()) {
        for (std::size_t bytes : {0, 1, 7, 63, 64, 65, 127, 255, 256, 257, 511, 1000, 2049}) {
            for (std::size_t shift : {0, 1, 8, 63}) {
                std::vector<std::byte> expected(3000, kUntouched), destination = expected;
                std::copy_n(source.begin() + 5, bytes, expected.begin() + shift);
                kind.copy(destination.data() + shift, source.data() + 5, bytes);
                EXPECT_EQ(destination, expected) << kind.name << ", " << bytes << " bytes, shift " << shift;
            }
        }
    }
}

TEST(CopyKinds, the_ring_uses_at_most_three_of_them) {
    EXPECT_LE(ring_copy_kinds().size(), 3u);
    EXPECT_STREQ(ring_copy_kinds().back().name, copy_kinds().back().name);
}

} // namespace
} // namespace shm::bench

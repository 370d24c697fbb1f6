// SPDX-License-Identifier: Apache-2.0
#include "core/word.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace shm {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

struct Pair {
    std::uint64_t value, other;
};

class Compares : public testing::TestWithParam<Pair> {};

TEST_P(Compares, as_the_operators_of_unsigned_numbers_do) {
    auto [value, other] = GetParam();
    EXPECT_EQ(compares(value, Comparison::equal, other), value == other);
    EXPECT_EQ(compares(value, Comparison::not_equal, other), value != other);
    EXPECT_EQ(compares(value, Comparison::greater, other), value > other);
    EXPECT_EQ(compares(value, Comparison::greater_equal, other), value >= other);
    EXPECT_EQ(compares(value, Comparison::less, other), value < other);
    EXPECT_EQ(compares(value, Comparison::less_equal, other), value <= other);
}

INSTANTIATE_TEST_SUITE_P(, Compares,
                         testing::Values(Pair{0, 0}, Pair{0, 1}, Pair{1, 0}, Pair{kMost, kMost},
                                         Pair{0, kMost}, Pair{kMost, 0}, Pair{kHalf, kHalf - 1},
                                         Pair{kHalf - 1, kHalf}, Pair{kHalf, kMost}));

} // namespace
} // namespace shm

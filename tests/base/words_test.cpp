// SPDX-License-Identifier: Apache-2.0
#include "base/words.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace shm {
namespace {

TEST(Words, small_sizes_are_exact) {
    EXPECT_EQ(bytes_text(0), "0 bytes");
    EXPECT_EQ(bytes_text(1), "1 byte");
    EXPECT_EQ(bytes_text((1 << 20) - 1), "1048575 bytes");
}

TEST(Words, large_sizes_have_a_unit_and_are_exact_too) {
    EXPECT_EQ(bytes_text(1 << 20), "1 MiB");
    EXPECT_EQ(bytes_text(std::uint64_t{3} << 29), "1.5 GiB");
    EXPECT_EQ(bytes_text((1 << 20) + 1), "1048577 bytes (1 MiB)");
    EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615 bytes (16 EiB)");
}

TEST(Words, neighbours_in_a_list_join) {
    EXPECT_EQ(number_list({}), "");
    EXPECT_EQ(number_list({4}), "4");
    EXPECT_EQ(number_list({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
}

TEST(Words, the_rest_of_a_long_list_is_counted) {
    EXPECT_EQ(number_list({0, 2, 4, 5, 8}, 2), "0, 2 and 3 more");
    EXPECT_EQ(number_list({0, 2}, 2), "0, 2");
}

} // namespace
} // namespace shm

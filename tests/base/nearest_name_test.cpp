// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

namespace shm {
namespace {

TEST(EditDistance, counts_insertions_omissions_and_replacements) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("abc", "abc"), 0U);
    EXPECT_EQ(edit_distance("abc", "axc"), 1U);
    EXPECT_EQ(edit_distance("abc", "abxc"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(EditDistance, counts_a_swap_of_neighbours_once) {
    EXPECT_EQ(edit_distance("CHECK", "CHEKC"), 1U);
    EXPECT_EQ(edit_distance("ab", "ba"), 1U);
    EXPECT_EQ(edit_distance("abc", "cba"), 2U);
}

TEST(EditDistance, is_the_same_both_ways) {
    for (const char* other : {"", "TIMEOUT", "TIMOUT", "START_TIMEOUT", "CHECK"})
        EXPECT_EQ(edit_distance("TIMEOUT", other), edit_distance(other, "TIMEOUT")) << other;
}

constexpr std::string_view kNames[] = {"SYMMETRIC_SIZE", "TIMEOUT", "CHECK"};

TEST(NearestName, is_the_one_that_was_misspelt) {
    EXPECT_EQ(nearest_name("SYMETRIC_SIZE", kNames), "SYMMETRIC_SIZE");
    EXPECT_EQ(nearest_name("SYMMETRIC_HEAP_SIZE", kNames), "SYMMETRIC_SIZE");
    EXPECT_EQ(nearest_name("TIMOEUT", kNames), "TIMEOUT");
    EXPECT_EQ(nearest_name("CHEK", kNames), "CHECK");
}

TEST(NearestName, is_none_when_too_much_would_have_to_change) {
    EXPECT_FALSE(nearest_name("CC", kNames));
    EXPECT_FALSE(nearest_name("BOUNCE_SIZE", kNames));
    EXPECT_FALSE(nearest_name("", kNames));
    EXPECT_FALSE(nearest_name("CHECK", {}));
}

TEST(NearestName, is_the_nearest_of_several) {
    constexpr std::string_view kTwo[] = {"START_TIMEOUTS", "START_TIMEOUT"};
    EXPECT_EQ(nearest_name("START_TIMEOUT", kTwo), "START_TIMEOUT");
}

} // namespace
} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "base/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shm {
namespace {

using testing::ElementsAre;

TEST(Result, holds_a_value) {
    Result<std::string> result = std::string("value");
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, "value");
    EXPECT_EQ(result->size(), 5U);
}

TEST(Result, holds_values_that_can_only_move) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
    ASSERT_TRUE(result);
    std::unique_ptr<int> moved = std::move(*result);
    EXPECT_EQ(*moved, 7);
}

TEST(Result, holds_an_error) {
    Result<int> result = fail("pe = {}", 7);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().text(), "pe = 7");
}

TEST(Result, without_a_value_holds_success_or_an_error) {
    EXPECT_TRUE(Result<void>());
    Result<void> result = fail("no");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().text(), "no");
}

TEST(Error, chains_reasons_from_the_outermost_in) {
    Error inner = fail("cannot map").because(system_error(ENOMEM));
    Error outer = fail("cannot start").because(inner);
    EXPECT_THAT(outer.reasons(), ElementsAre("cannot start", "cannot map", "Cannot allocate memory"));
    EXPECT_EQ(outer.text(), "cannot start: cannot map: Cannot allocate memory");
}

TEST(Error, of_a_system_call_is_that_of_errno) {
    errno = ENOENT;
    EXPECT_EQ(system_error().text(), "No such file or directory");
}

} // namespace
} // namespace shm

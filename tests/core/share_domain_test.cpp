// SPDX-License-Identifier: Apache-2.0
#include "core/share_domain.hpp"

#include <gtest/gtest.h>

namespace shm {
namespace {

Result<ShareDomain> domain(std::vector<int> pes, int my_pe = 1, int n_pes = 8) {
    return ShareDomain::of(pes, my_pe, n_pes);
}

TEST(ShareDomain, is_the_same_in_any_order) {
    EXPECT_EQ(domain({1, 0})->pes(), domain({0, 1})->pes());
    EXPECT_EQ(domain({1, 0})->hash(), domain({0, 1})->hash());
    EXPECT_EQ(domain({7, 2, 1})->lowest(), 1);
}

TEST(ShareDomain, of_other_pes_is_another) {
    EXPECT_NE(domain({0, 1})->hash(), domain({0, 1, 2})->hash());
    EXPECT_NE(domain({1, 2})->hash(), domain({1, 3})->hash());
    EXPECT_NE(domain({1})->hash(), 0U);
}

TEST(ShareDomain, knows_its_members) {
    auto some = domain({0, 1, 2, 3, 7});
    EXPECT_TRUE(some->contains(7));
    EXPECT_FALSE(some->contains(4));
    EXPECT_FALSE(some->contains(-1));
    EXPECT_EQ(some->text(), "{0-3, 7}");
}

TEST(ShareDomain, refuses_a_list_that_is_none) {
    EXPECT_EQ(domain({1, 8}).error().text(),
              "pes names PE 8, which is out of range: this job has PEs 0 to 7");
    EXPECT_EQ(domain({-1, 1}).error().text(),
              "pes names PE -1, which is out of range: this job has PEs 0 to 7");
    EXPECT_EQ(domain({1, 2, 1}).error().text(),
              "pes names PE 1 twice: name each PE of the share domain once");
    EXPECT_EQ(domain({0, 2}).error().text(),
              "pes = {0, 2} does not name the calling PE 1: only the PEs of a share domain make the call");
    EXPECT_FALSE(domain({}));
}

} // namespace
} // namespace shm

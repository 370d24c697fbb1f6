// SPDX-License-Identifier: Apache-2.0
// Run with SHMEM_SYMMETRIC_SIZE set to 0, 64k or 8m.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shmem.h"

namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::size_t cap() {
    std::string text = std::getenv("SHMEM_SYMMETRIC_SIZE");
    std::size_t unit = text.back() == 'k' ? 1 << 10 : text.back() == 'm' ? 1 << 20 : 1;
    return std::stoul(text) * unit;
}

TEST(Cap, is_what_the_heap_holds_at_most) {
    void* object = shmem_malloc(cap());
    EXPECT_EQ(object != nullptr, cap() > 0);
    EXPECT_EQ(shmem_malloc(1), nullptr);
    EXPECT_EQ(shmem_realloc(object, cap() + 1), nullptr);
    shmem_free(object);
    EXPECT_EQ(shmem_malloc(cap() + 1), nullptr);
    void* again = shmem_malloc(cap());
    EXPECT_EQ(again, object) << "refusals change nothing";
    shmem_free(again);
}

TEST(Cap, is_named_in_the_warning_of_pe_0) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(shmem_malloc(cap() + 1), nullptr);
    std::string warning = testing::internal::GetCapturedStderr();
    if (shmem_my_pe() > 0) {
        EXPECT_EQ(warning, "");
        return;
    }
    EXPECT_THAT(warning,
                StartsWith("shmem: PE 0: warning: shmem_malloc returns NULL: no symmetric memory for " +
                           std::to_string(cap() + 1) + " byte"));
    EXPECT_THAT(warning, HasSubstr(cap() == 0 ? "SHMEM_SYMMETRIC_SIZE=0 forbids allocation"
                                              : "(SHMEM_SYMMETRIC_SIZE)"));
    EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1);
}

} // namespace

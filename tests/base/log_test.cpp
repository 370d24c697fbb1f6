// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <gtest/gtest.h>

namespace shm {
namespace {

std::string written(int pe, void (*write)()) {
    log::set_pe(pe);
    testing::internal::CaptureStderr();
    write();
    log::set_pe(-1);
    return testing::internal::GetCapturedStderr();
}

TEST(Log, a_line_names_the_pe_once_there_is_one) {
    EXPECT_EQ(written(3, [] { log::line("text"); }), "shmem: PE 3: text\n");
    EXPECT_EQ(written(-1, [] { log::line("text"); }), "shmem: text\n");
}

TEST(Log, a_warning_says_so) {
    EXPECT_EQ(written(0, [] { log::warn("{} of {}", 1, 2); }), "shmem: PE 0: warning: 1 of 2\n");
}

} // namespace
} // namespace shm

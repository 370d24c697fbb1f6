// SPDX-License-Identifier: Apache-2.0
#include "shmem.hpp"

#include <gtest/gtest.h>

#include "pes.hpp"

namespace {

using namespace shmem::literals;

static_assert(1_KB == 1024 && 1_MB == 1024 * 1024 && 3_GB == std::size_t{3} << 30);
static_assert(1_KiB == 1_KB && 1_MiB == 1_MB && 1_GiB == 1_GB);
static_assert(8_GB == std::size_t{1} << 33, "beyond 2^32");

TEST(Shmem, knows_its_place_in_the_job) {
    EXPECT_EQ(shmem::my_pe(), shmem_my_pe());
    EXPECT_EQ(shmem::n_pes(), shmem_n_pes());
}

TEST(Shmem, init_is_counted) {
    auto numbers = shmem::symmetric<int>(1);
    shmem::init();
    shmem::finalize();
    numbers[0] = 1; // still there
    EXPECT_EQ(shmem::my_pe(), shmem_my_pe());
}

TEST(Ptr, reaches_the_object_of_another_pe_under_its_type) {
    auto numbers = shmem::symmetric<int>(1);
    int* theirs = shmem::ptr(numbers.ptr(), shm::test::next_pe());
    ASSERT_NE(theirs, nullptr);
    *theirs = shmem::my_pe() + 1;
    shmem::sync_all();
    EXPECT_EQ(numbers[0], shm::test::previous_pe() + 1);
    int local = 0;
    EXPECT_EQ(shmem::ptr(&local, 0), nullptr);
    shmem::barrier_all();
}

TEST(Fence, orders_the_data_before_the_flag) {
    auto data = shmem::symmetric<int>(1);
    auto flag = shmem::symmetric<std::uint64_t>(1);
    for (unsigned round = 1; round <= 50; ++round) {
        shmem::put(data.ptr(), static_cast<int>(round), shm::test::next_pe());
        shmem::fence();
        shmem::put(flag.ptr(), round, shm::test::next_pe());
        shmem::signal_wait_until(flag.ptr(), SHMEM_CMP_GE, round);
        EXPECT_EQ(data[0], static_cast<int>(round));
        shmem::barrier_all();
    }
}

} // namespace

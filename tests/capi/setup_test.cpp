// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "descriptors.hpp"
#include "pattern.hpp"
#include "shmem.h"

namespace shm::test {
namespace {

TEST(Init, numbers_the_pes_from_0) {
    auto pes = static_cast<std::size_t>(shmem_n_pes());
    auto* present = static_cast<int*>(shmem_calloc(pes, sizeof(int)));
    ASSERT_LT(shmem_my_pe(), shmem_n_pes());
    int one = 1;
    shmem_putmem(&present[shmem_my_pe()], &one, sizeof one, 0);
    shmem_barrier_all();
    for (std::size_t pe = 0; pe < pes && shmem_my_pe() == 0; ++pe)
        EXPECT_EQ(present[pe], 1) << "PE " << pe;
    shmem_free(present);
}

TEST(Init, again_is_only_counted) {
    auto* object = static_cast<int*>(shmem_malloc(sizeof(int)));
    *object = 42;
    int pe = shmem_my_pe();
    shmem_init();
    shmem_init();
    EXPECT_EQ(shmem_my_pe(), pe);
    shmem_finalize();
    shmem_finalize();
    EXPECT_EQ(shmem_my_pe(), pe);
    EXPECT_EQ(*object, 42);
    shmem_free(object);
}

TEST(Init, after_finalize_joins_the_same_job_with_a_fresh_heap) {
    int pe = shmem_my_pe();
    int pes = shmem_n_pes();
    void* first = shmem_malloc(3 << 20);
    std::memset(first, 0xff, 3 << 20);
    for (int round = 0; round < 20; ++round) {
        shmem_finalize();
        shmem_init();
        ASSERT_EQ(shmem_my_pe(), pe);
        ASSERT_EQ(shmem_n_pes(), pes);
        void* again = shmem_malloc(3 << 20);
        ASSERT_EQ(again, first) << "nothing of the earlier heap is left";
        unsigned char theirs = 1;
        shmem_getmem(&theirs, again, 1, next_pe());
        EXPECT_EQ(theirs, 0);
        shmem_barrier_all();
        std::memset(again, 0xff, 3 << 20);
    }
    shmem_free(first);
}

TEST(Init, and_finalize_keep_the_number_of_descriptors) {
    shmem_finalize();
    shmem_init();
    long before = open_descriptors();
    for (int round = 0; round < 20; ++round) {
        shmem_finalize();
        shmem_init();
    }
    EXPECT_EQ(open_descriptors(), before);
}

} // namespace
} // namespace shm::test

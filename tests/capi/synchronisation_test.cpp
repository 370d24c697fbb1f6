// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include <gtest/gtest.h>

#include "pattern.hpp"
#include "shmem.h"

namespace shm::test {
namespace {

/// Every PE writes its number of the round to every PE; between two rounds all have read all.
void check_rounds(int rounds, void (*synchronise)()) {
    auto* board = static_cast<int*>(shmem_calloc(static_cast<std::size_t>(shmem_n_pes()), sizeof(int)));
    int wrong = 0;
    for (int round = 1; round <= rounds; ++round) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            shmem_putmem(&board[shmem_my_pe()], &round, sizeof round, pe);
        synchronise();
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            wrong += board[pe] != round;
        synchronise();
    }
    EXPECT_EQ(wrong, 0);
    shmem_free(board);
}

TEST(BarrierAll, makes_the_puts_of_all_pes_visible) {
    check_rounds(500, shmem_barrier_all);
}

TEST(SyncAll, orders_stores_to_mapped_memory) {
    check_rounds(500, shmem_sync_all);
}

TEST(SyncAll, and_barrier_all_mix) {
    check_rounds(500, [] {
        shmem_sync_all();
        shmem_barrier_all();
    });
}

TEST(BarrierAll, waits_for_the_last_pe) {
    auto* arrived = static_cast<int*>(shmem_calloc(1, sizeof(int)));
    for (int late = 0; late < shmem_n_pes(); ++late) {
        if (shmem_my_pe() == late) {
            timespec nap{0, 2'000'000}; // the others fall asleep in the barrier
            ::nanosleep(&nap, nullptr);
            for (int pe = 0; pe < shmem_n_pes(); ++pe) {
                int value = late + 1;
                shmem_putmem(arrived, &value, sizeof value, pe);
            }
        }
        shmem_barrier_all();
        EXPECT_EQ(*arrived, late + 1);
        shmem_barrier_all();
    }
    shmem_free(arrived);
}

} // namespace
} // namespace shm::test

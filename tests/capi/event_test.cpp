// SPDX-License-Identifier: Apache-2.0
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pattern.hpp"
#include "shmem.h"
#include "shmemx.h"

namespace shm::test {
namespace {

TEST(Event, two_signals_satisfy_two_waits) {
    shmemx_signal_event(0, next_pe());
    shmemx_signal_event(0, next_pe());
    shmemx_wait_event(0);
    shmemx_wait_event(0);
}

TEST(Event, every_number_works_and_none_stands_for_another) {
    for (int id = 0; id < SHMEMX_EVENTS; ++id)
        shmemx_signal_event(id, next_pe());
    for (int id = SHMEMX_EVENTS - 1; id >= 0; --id)
        shmemx_wait_event(id);
}

TEST(Event, to_all_reaches_every_other_pe_and_not_this_one) {
    shmemx_signal_event_all(1);
    for (int pe = 0; pe < shmem_n_pes() - 1; ++pe)
        shmemx_wait_event(1);
    shmem_barrier_all();
    // Were there one signal too many, it would now stand for the one that is sent last, and the data missed.
    auto* data = static_cast<int*>(shmem_calloc(1, sizeof(int)));
    for (int round = 1; round <= 50; ++round) {
        shmem_putmem(data, &round, sizeof round, next_pe());
        shmemx_signal_event(1, next_pe());
        shmemx_wait_event(1);
        EXPECT_EQ(*data, round);
        shmem_barrier_all();
    }
    shmem_free(data);
}

TEST(Event, goes_round_a_ring_with_the_data) {
    constexpr int kRounds = 200;
    auto* token = static_cast<int*>(shmem_calloc(1, sizeof(int)));
    for (int round = 0; round < kRounds; ++round) {
        if (shmem_my_pe() > 0 || round > 0)
            shmemx_wait_event(2);
        EXPECT_EQ(*token, round * shmem_n_pes() + shmem_my_pe());
        int next = *token + 1;
        shmem_putmem(token, &next, sizeof next, next_pe());
        shmemx_signal_event(2, next_pe());
    }
    if (shmem_my_pe() == 0)
        shmemx_wait_event(2);
    shmem_free(token);
}

TEST(Event, a_wait_sees_what_the_signaller_had_read_from_others) {
    // The last PE writes to PE 0's memory and tells the one before; the news goes down to PE 0 by events.
    auto* data = static_cast<int*>(shmem_calloc(1, sizeof(int)));
    for (int round = 1; round <= 100; ++round) {
        if (shmem_my_pe() == shmem_n_pes() - 1)
            shmem_putmem(data, &round, sizeof round, 0);
        else
            shmemx_wait_event(3);
        if (shmem_my_pe() > 0)
            shmemx_signal_event(3, shmem_my_pe() - 1);
        else
            EXPECT_EQ(*data, round);
        shmem_barrier_all();
    }
    shmem_free(data);
}

TEST(Event, any_thread_may_signal_and_wait) {
    constexpr int kThreads = 4;
    constexpr int kRounds = 100;
    std::vector<std::thread> threads;
    for (int id = 10; id < 10 + kThreads; ++id)
        threads.emplace_back([id] {
            for (int round = 0; round < kRounds; ++round) {
                shmemx_signal_event(id, next_pe());
                shmemx_wait_event(id);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    shmem_barrier_all();
}

} // namespace
} // namespace shm::test

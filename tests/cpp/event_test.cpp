// SPDX-License-Identifier: Apache-2.0
#include "shmem/detail/event.hpp"

#include <gtest/gtest.h>

#include "pes.hpp"

namespace {

static_assert(shmem::EVENT_ID_0 == 0 && shmem::EVENT_ID_1 == 1 && shmem::EVENT_ID_63 == 63);

TEST(Event, by_name_is_the_event_of_that_number) {
    shmem::signal_event(shmem::EVENT_ID_5, shm::test::next_pe());
    shmem::wait_event(5);
    shmem::signal_event(63, shm::test::next_pe());
    shmem::wait_event(shmem::EVENT_ID_63);
}

TEST(Event, without_a_pe_goes_to_all_others) {
    shmem::signal_event(shmem::EVENT_ID_0);
    for (int pe = 0; pe < shmem::n_pes() - 1; ++pe)
        shmem::wait_event(shmem::EVENT_ID_0);
    shmem::barrier_all();
}

TEST(Event, brings_the_data) {
    auto numbers = shmem::symmetric<int>(1);
    for (int round = 1; round <= 50; ++round) {
        shmem::put(numbers.ptr(), round, shm::test::next_pe());
        shmem::signal_event(1, shm::test::next_pe());
        shmem::wait_event(1);
        EXPECT_EQ(numbers[0], round);
        shmem::barrier_all();
    }
}

} // namespace

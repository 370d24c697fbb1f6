// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "shmem.h"

TEST(JobMain, every_pe_runs_every_test) {
    auto* arrivals = static_cast<int*>(shmem_calloc(static_cast<size_t>(shmem_n_pes()), sizeof(int)));
    int one = 1;
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        shmem_putmem(&arrivals[shmem_my_pe()], &one, sizeof one, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        EXPECT_EQ(arrivals[pe], 1) << "PE " << pe;
    shmem_free(arrivals);
}

// Run to see that it fails: PE 0 waits in the barrier for a PE that has left the test.
TEST(JobMain, DISABLED_the_last_pe_fails) {
    ASSERT_NE(shmem_my_pe(), shmem_n_pes() - 1);
    shmem_barrier_all();
}

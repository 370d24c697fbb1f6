// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "pattern.hpp"
#include "shmem.h"

namespace shm::test {
namespace {

using Word = std::uint64_t;

Word* words(std::size_t count) {
    return static_cast<Word*>(shmem_calloc(count, sizeof(Word)));
}

TEST(Put, reaches_every_pe_and_only_its_place) {
    auto pes = static_cast<std::size_t>(shmem_n_pes());
    Word* board = words(pes);
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        Word value = static_cast<Word>(1000 * shmem_my_pe() + pe);
        shmem_putmem(&board[shmem_my_pe()], &value, sizeof value, pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        EXPECT_EQ(board[pe], static_cast<Word>(1000 * pe + shmem_my_pe()));
    shmem_free(board);
}

TEST(Put, takes_its_source_from_any_memory) {
    static const Word kConstant = 11;
    auto heap = std::make_unique<Word>(22);
    Word stack = 33;
    Word* object = words(4);
    Word* symmetric = words(1);
    *symmetric = 44;
    const Word* sources[] = {&kConstant, heap.get(), &stack, symmetric};
    for (std::size_t index = 0; index < 4; ++index)
        shmem_putmem(&object[index], sources[index], sizeof(Word), next_pe());
    shmem_barrier_all();
    for (std::size_t index = 0; index < 4; ++index)
        EXPECT_EQ(object[index], 11 * (index + 1));
    shmem_free(symmetric);
    shmem_free(object);
}

TEST(Put, of_nothing_needs_no_addresses) {
    shmem_putmem(nullptr, nullptr, 0, next_pe());
    shmem_getmem(nullptr, nullptr, 0, next_pe());
    shmem_putmem_nbi(nullptr, nullptr, 0, next_pe());
    shmem_getmem_nbi(nullptr, nullptr, 0, next_pe());
}

TEST(Put, leaves_the_source_free_for_reuse) {
    Word* object = words(64);
    Word value = 0;
    for (std::size_t index = 0; index < 64; ++index) {
        value = index + 1;
        shmem_putmem(&object[index], &value, sizeof value, next_pe());
    }
    shmem_barrier_all();
    for (std::size_t index = 0; index < 64; ++index)
        EXPECT_EQ(object[index], index + 1);
    shmem_free(object);
}

TEST(Get, copies_between_objects_of_two_pes) {
    Word* object = words(1000);
    Word* copy = words(1000);
    std::iota(object, object + 1000, static_cast<Word>(shmem_my_pe()) * 10000);
    shmem_barrier_all();
    shmem_getmem(copy, object, 1000 * sizeof(Word), next_pe());
    for (std::size_t index = 0; index < 1000; ++index)
        ASSERT_EQ(copy[index], static_cast<Word>(next_pe()) * 10000 + index);
    shmem_free(copy);
    shmem_free(object);
}

TEST(NonBlocking, many_puts_are_complete_after_one_quiet) {
    constexpr std::size_t kPuts = 500;
    Word* object = words(kPuts);
    Word* done = words(1);
    std::vector<Word> source(kPuts);
    std::iota(source.begin(), source.end(), 7);
    for (std::size_t index = 0; index < kPuts; ++index)
        shmem_putmem_nbi(&object[index], &source[index], sizeof(Word), next_pe());
    shmem_quiet();
    Word one = 1;
    shmem_putmem(done, &one, sizeof one, next_pe());
    shmem_uint64_wait_until(done, SHMEM_CMP_EQ, 1);
    for (std::size_t index = 0; index < kPuts; ++index)
        EXPECT_EQ(object[index], index + 7);
    shmem_barrier_all();
    shmem_free(done);
    shmem_free(object);
}

TEST(Fence, a_flag_put_after_it_comes_after_the_data) {
    constexpr Word kRounds = 500;
    constexpr std::size_t kWords = 100;
    Word* data = words(kWords);
    Word* flag = words(1);
    Word* taken = words(1);
    std::size_t wrong = 0;
    for (Word round = 1; round <= kRounds; ++round) {
        std::vector<Word> values(kWords, round);
        shmem_putmem(data, values.data(), kWords * sizeof(Word), next_pe());
        shmem_fence();
        shmem_putmem(flag, &round, sizeof round, next_pe());
        shmem_uint64_wait_until(flag, SHMEM_CMP_GE, round);
        for (std::size_t index = 0; index < kWords; ++index)
            wrong += data[index] != round;
        shmem_putmem(taken, &round, sizeof round, previous_pe());
        shmem_uint64_wait_until(taken, SHMEM_CMP_GE, round);
    }
    EXPECT_EQ(wrong, 0U);
    for (Word* object : {taken, flag, data})
        shmem_free(object);
}

TEST(Quiet, two_that_put_and_then_get_see_at_least_one_of_the_puts) {
    constexpr Word kRounds = 500;
    Word* mine = words(1);
    Word* seen = words(1);
    Word* theirs = words(1);
    std::size_t missed = 0;
    for (Word round = 1; round <= kRounds; ++round) {
        shmem_barrier_all();
        shmem_putmem(mine, &round, sizeof round, shmem_my_pe());
        shmem_quiet();
        shmem_getmem(seen, mine, sizeof round, next_pe());
        shmem_putmem(theirs, seen, sizeof round, previous_pe()); // what this one saw of the next
        Word saw = *seen;
        shmem_barrier_all();
        if (shmem_n_pes() == 2)
            missed += saw != round && *theirs != round;
        else if (shmem_n_pes() == 1)
            missed += saw != round;
    }
    EXPECT_EQ(missed, 0U);
    for (Word* object : {theirs, seen, mine})
        shmem_free(object);
}

TEST(TargetFirst, puts_and_gets_in_the_other_order_of_arguments) {
    Word* object = words(1);
    Word local = static_cast<Word>(shmem_my_pe()) + 50;
    shmem_put(next_pe(), &local, object, sizeof local);
    shmem_barrier_all();
    EXPECT_EQ(*object, static_cast<Word>(previous_pe()) + 50);
    Word back = 0;
    shmem_get(static_cast<short>(next_pe()), &back, object, sizeof back);
    EXPECT_EQ(back, local);
    shmem_barrier_all();
    shmem_free(object);
}

} // namespace
} // namespace shm::test

// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "pattern.hpp"
#include "shmem.h"

namespace shm::test {
namespace {

using Word = std::uint64_t;

Word* word() {
    return static_cast<Word*>(shmem_calloc(1, sizeof(Word)));
}

class PutSignalOf : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Bytes, PutSignalOf,
                         testing::Values(1, 2, 7, 8, 9, 64, 1000, 4096, 65536, 1 << 20, 4 << 20));

TEST_P(PutSignalOf, who_sees_the_signal_sees_all_of_the_data) {
    std::size_t bytes = GetParam();
    unsigned rounds = bytes > 100000 ? 4 : 40;
    auto* data = static_cast<unsigned char*>(shmem_malloc(bytes));
    for (int operation : {SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD}) {
        Word* signal = word();
        for (unsigned round = 1; round <= rounds; ++round) {
            Bytes source = pattern(bytes, 100 * round + seed_of(shmem_my_pe()));
            shmem_putmem_signal(data, source.data(), bytes, signal, operation == SHMEM_SIGNAL_SET ? round : 1,
                                operation, next_pe());
            EXPECT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_GE, round), round);
            ASSERT_EQ(wrong_bytes(data, bytes, 100 * round + seed_of(previous_pe())), 0U)
                << "round " << round;
            shmem_barrier_all(); // the data is the next round's now
        }
        shmem_free(signal);
    }
    shmem_free(data);
}

TEST(PutSignal, to_itself_works) {
    Word* signal = word();
    Word* data = word();
    Word source = 42;
    shmem_putmem_signal(data, &source, sizeof source, signal, 7, SHMEM_SIGNAL_SET, shmem_my_pe());
    EXPECT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 7), 7U);
    EXPECT_EQ(*data, 42U);
    shmem_barrier_all();
    shmem_free(data);
    shmem_free(signal);
}

TEST(PutSignal, of_no_data_is_only_the_signal) {
    Word* signal = word();
    shmem_putmem_signal(nullptr, nullptr, 0, signal, 3, SHMEM_SIGNAL_SET, next_pe());
    EXPECT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_NE, 0), 3U);
    shmem_barrier_all();
    shmem_free(signal);
}

TEST(PutSignal, additions_of_all_pes_add_up_and_wrap) {
    Word* signal = word();
    *signal = ~Word{0};
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        for (int count = 0; count < 100; ++count)
            shmem_putmem_signal(nullptr, nullptr, 0, signal, 3, SHMEM_SIGNAL_ADD, pe);
    Word expected = static_cast<Word>(shmem_n_pes()) * 300 - 1;
    EXPECT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, expected), expected);
    shmem_barrier_all();
    shmem_free(signal);
}

TEST(SignalFetch, reads_the_word_of_this_pe) {
    Word* signal = word();
    EXPECT_EQ(shmem_signal_fetch(signal), 0U);
    shmem_barrier_all();
    Word value = static_cast<Word>(shmem_my_pe()) + 9;
    shmem_putmem(signal, &value, sizeof value, next_pe());
    shmem_barrier_all();
    EXPECT_EQ(shmem_signal_fetch(signal), static_cast<Word>(previous_pe()) + 9);
    shmem_barrier_all();
    shmem_free(signal);
}

struct Wait {
    const char* name;
    int cmp;
    Word before, other, after; // `before` does not satisfy, `after` does
};

constexpr Word kMost = ~Word{0};
constexpr Word kHalf = Word{1} << 63;

class WaitUntilIs : public testing::TestWithParam<Wait> {};

INSTANTIATE_TEST_SUITE_P(
    , WaitUntilIs,
    testing::Values(Wait{"equal", SHMEM_CMP_EQ, 1, 5, 5}, Wait{"not_equal", SHMEM_CMP_NE, 5, 5, 6},
                    Wait{"greater", SHMEM_CMP_GT, 5, 5, 6}, Wait{"greater_equal", SHMEM_CMP_GE, 4, 5, 5},
                    Wait{"less", SHMEM_CMP_LT, 5, 5, 4}, Wait{"less_equal", SHMEM_CMP_LE, 6, 5, 5},
                    Wait{"greater_unsigned", SHMEM_CMP_GT, kHalf - 1, kHalf - 1, kMost},
                    Wait{"less_unsigned", SHMEM_CMP_LT, kMost, kHalf, 0}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(WaitUntilIs, ends_when_another_pe_writes_what_satisfies) {
    Wait wait = GetParam();
    Word* signal = word();
    Word* plain = word();
    *signal = *plain = wait.before;
    shmem_barrier_all();
    shmem_putmem_signal(nullptr, nullptr, 0, signal, wait.after, SHMEM_SIGNAL_SET, next_pe());
    EXPECT_EQ(shmem_signal_wait_until(signal, wait.cmp, wait.other), wait.after);
    shmem_putmem(plain, &wait.after, sizeof wait.after, next_pe());
    shmem_uint64_wait_until(plain, wait.cmp, wait.other);
    EXPECT_EQ(*plain, wait.after);
    shmem_barrier_all();
    shmem_free(plain);
    shmem_free(signal);
}

TEST(WaitUntil, sees_a_store_through_ptr) {
    Word* flag = word();
    auto* theirs = static_cast<Word*>(shmem_ptr(flag, next_pe()));
    __atomic_store_n(theirs, 1, __ATOMIC_RELEASE);
    shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    shmem_free(flag);
}

TEST(WaitUntil, is_woken_by_a_large_put_that_covers_the_word) {
    constexpr std::size_t kWords = 1 << 17;
    auto* object = static_cast<Word*>(shmem_calloc(kWords, sizeof(Word)));
    std::vector<Word> source(kWords, 5);
    if (shmem_my_pe() == 0)
        shmem_putmem(object, source.data(), kWords * sizeof(Word), next_pe());
    shmem_uint64_wait_until(&object[kWords / 2], SHMEM_CMP_EQ, shmem_my_pe() == 1 % shmem_n_pes() ? 5 : 0);
    shmem_barrier_all();
    shmem_free(object);
}

} // namespace
} // namespace shm::test

// SPDX-License-Identifier: Apache-2.0
#include "posix/record.hpp"

#include <gtest/gtest.h>

namespace shm::bench {
namespace {

TEST(Measurements, come_back_whole_from_a_list_of_numbers) {
    Measurements sent;
    sent.at(kTransfer, kShmem).add(3);
    sent.at(kTransfer, kShmem).add(4);
    sent.at(kPut8Bytes, kLimit).add(5);
    sent.copy(kMaxCopyKinds - 1, kToHeap).add(6);
    const std::vector<double> numbers = sent.pack();
    ASSERT_LE(numbers.size(), Measurements::packed_size(1));

    const Measurements received = Measurements::unpack(numbers.data());
    EXPECT_EQ(received.at(kTransfer, kShmem).values(), (std::vector<double>{3, 4}));
    EXPECT_EQ(received.at(kPut8Bytes, kLimit).values(), (std::vector<double>{5}));
    EXPECT_EQ(received.copy(kMaxCopyKinds - 1, kToHeap).values(), (std::vector<double>{6}));
    EXPECT_TRUE(received.at(kTransfer, kArticle).empty());
}

TEST(Measurements, of_several_pairs_count_with_their_medians) {
    Measurements table;
    for (double median : {10, 20, 60}) {
        Measurements pair;
        for (double value : {median - 1, median, median + 100})
            pair.at(kTransfer, kShmem).add(value);
        table.add_medians(pair);
    }
    EXPECT_EQ(table.at(kTransfer, kShmem).values(), (std::vector<double>{10, 20, 60}));
    EXPECT_TRUE(table.at(kTransfer, kTuned).empty());
}

TEST(Measurements, best_copy_has_the_least_median) {
    Measurements samples;
    samples.copy(0, kToPrivate).add(50);
    samples.copy(1, kToPrivate).add(40);
    samples.copy(1, kToHeap).add(30);
    samples.copy(1, kToHeap).add(34);
    const BestCopy best = best_copy(samples);
    EXPECT_EQ(best.kind, 1);
    EXPECT_EQ(best.target, kToHeap);
    EXPECT_DOUBLE_EQ(best.nanoseconds, 32);
}

} // namespace
} // namespace shm::bench

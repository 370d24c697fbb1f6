// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/barrier.hpp"
#include "endless_sleeps.hpp"
#include "node_of_threads.hpp"

namespace shm {
namespace {

using test::NodeOfThreads;
using Pe = NodeOfThreads::Pe;

class VoteTest : public testing::TestWithParam<int> {
protected:
    /// One in five votes is no. The same for everybody who asks.
    static bool votes(int pe, int round) { return (pe * 7 + round * round) % 5 != 0; }

    bool expected(int round) const {
        for (int pe = 0; pe < GetParam(); ++pe)
            if (!votes(pe, round))
                return false;
        return true;
    }

    test::EndlessSleeps endless_sleeps_;
    NodeOfThreads node_{GetParam()};
    std::atomic<int> wrong_{0};
};

INSTANTIATE_TEST_SUITE_P(Pes, VoteTest, testing::Values(1, 2, 3, 5, 8));

TEST_P(VoteTest, is_unanimous_only_when_all_say_yes_and_all_learn_the_same) {
    node_.run([&](Pe& pe) {
        for (int round = 0; round < 1000; ++round)
            wrong_ += pe.vote.unanimous("test", votes(pe.number, round)) != expected(round);
    });
    EXPECT_EQ(wrong_, 0);
}

TEST_P(VoteTest, one_no_is_enough_whoever_says_it) {
    node_.run([&](Pe& pe) {
        for (int naysayer = 0; naysayer < node_.n_pes(); ++naysayer) {
            wrong_ += pe.vote.unanimous("test", pe.number != naysayer);
            wrong_ += !pe.vote.unanimous("test", true); // and it is forgotten at the next vote
        }
    });
    EXPECT_EQ(wrong_, 0);
}

TEST_P(VoteTest, is_not_disturbed_by_the_votes_of_an_earlier_program) {
    for (int program = 0; program < 7; ++program)
        node_.run([&](Pe& pe) {
            for (int round = 0; round <= program; ++round)
                wrong_ += pe.vote.unanimous("test", votes(pe.number, round)) != expected(round);
            pe.barrier.wait("test");
        });
    EXPECT_EQ(wrong_, 0);
}

TEST_P(VoteTest, is_a_barrier) {
    std::vector<int> numbers(static_cast<std::size_t>(node_.n_pes()));
    node_.run([&](Pe& pe) {
        for (int round = 1; round <= 200; ++round) {
            numbers[static_cast<std::size_t>(pe.number)] = round;
            pe.vote.unanimous("test", true);
            for (int number : numbers)
                wrong_ += number != round;
            pe.vote.unanimous("test", true);
        }
    });
    EXPECT_EQ(wrong_, 0);
}

} // namespace
} // namespace shm

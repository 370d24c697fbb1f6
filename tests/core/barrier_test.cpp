// SPDX-License-Identifier: Apache-2.0
#include "core/barrier.hpp"

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "endless_sleeps.hpp"
#include "node_of_threads.hpp"

namespace shm {
namespace {

using test::NodeOfThreads;
using Pe = NodeOfThreads::Pe;

struct Way {
    int n_pes;
    bool dissemination;
    bool yield;
};

class BarrierTest : public testing::TestWithParam<Way> {
protected:
    BarrierTest() {
        node_.set_waiting(GetParam().yield, std::chrono::microseconds(GetParam().yield ? 0 : 20));
    }

    /// One round between two barriers: each PE writes its own plain number, all read all. A PE that left
    /// before another one entered reads an old number, and ThreadSanitizer reports what is not ordered.
    void meet(Pe& pe, int round) {
        numbers_[static_cast<std::size_t>(pe.number)] = round;
        pe.barrier.wait("test");
        for (int number : numbers_)
            wrong_ += number != round;
        pe.barrier.wait("test");
    }

    test::EndlessSleeps endless_sleeps_;
    NodeOfThreads node_{GetParam().n_pes};
    std::vector<int> numbers_ = std::vector<int>(static_cast<std::size_t>(GetParam().n_pes));
    std::atomic<int> wrong_{0};
};

std::vector<Way> ways() {
    std::vector<Way> all;
    for (int n_pes : {1, 2, 3, 5, 8})
        for (bool dissemination : {false, true})
            for (bool yield : {false, true})
                all.push_back({n_pes, dissemination, yield});
    return all;
}

INSTANTIATE_TEST_SUITE_P(, BarrierTest, testing::ValuesIn(ways()), [](const auto& info) {
    return std::to_string(info.param.n_pes) + "_pes_" +
           (info.param.dissemination ? "dissemination" : "central") + (info.param.yield ? "_yield" : "_spin");
});

TEST_P(BarrierTest, nobody_leaves_before_everybody_entered_and_all_is_visible) {
    constexpr int kRounds = 300;
    node_.run([&](Pe& pe) {
        pe.barrier.set_dissemination(GetParam().dissemination);
        for (int round = 1; round <= kRounds; ++round)
            meet(pe, round);
    });
    EXPECT_EQ(wrong_, 0);
}

TEST_P(BarrierTest, either_algorithm_may_do_the_next_round) {
    constexpr int kRounds = 300;
    node_.run([&](Pe& pe) {
        for (int round = 1; round <= kRounds; ++round) {
            // Also within meet(): 1, 2, 3 and 5 rounds of each kind in a row.
            pe.barrier.set_dissemination((round % 11 < 5) != GetParam().dissemination);
            meet(pe, round);
            if (round % 3 == 0)
                pe.barrier.wait("test");
        }
    });
    EXPECT_EQ(wrong_, 0);
}

TEST_P(BarrierTest, goes_on_after_leaving_and_joining_again) {
    for (int program = 1; program <= 10; ++program)
        node_.run([&](Pe& pe) {
            pe.barrier.set_dissemination((program % 2 == 0) != GetParam().dissemination);
            meet(pe, program);
        });
    EXPECT_EQ(wrong_, 0);
}

TEST_P(BarrierTest, holds_while_one_pe_is_missing) {
    std::atomic<int> entering{0}, left{0};
    node_.run([&](Pe& pe) {
        pe.barrier.set_dissemination(GetParam().dissemination);
        ++entering;
        if (pe.number == 0) {
            while (entering < node_.n_pes())
                std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the others fall asleep inside
            wrong_ += left;
        }
        pe.barrier.wait("test");
        ++left;
    });
    EXPECT_EQ(wrong_, 0);
    EXPECT_EQ(left, node_.n_pes());
}

TEST_P(BarrierTest, the_count_of_rounds_may_wrap) {
    constexpr std::uint64_t kRoundsDone = std::numeric_limits<std::uint64_t>::max() - 5;
    node_.pages().header().central_barrier.round = kRoundsDone;
    for (int pe = 0; pe < node_.n_pes(); ++pe) {
        DisseminationFlags& flags = node_.pages().slot(pe).barrier_flags;
        flags.rounds_entered = kRoundsDone;
        for (auto& flag : flags.step)
            flag.round = kRoundsDone;
    }
    node_.run([&](Pe& pe) {
        pe.barrier.set_dissemination(GetParam().dissemination);
        for (int round = 1; round <= 10; ++round)
            meet(pe, round);
    });
    EXPECT_EQ(wrong_, 0);
}

} // namespace
} // namespace shm

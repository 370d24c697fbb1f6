// SPDX-License-Identifier: Apache-2.0
#include "core/rma.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/word.hpp"
#include "endless_sleeps.hpp"
#include "node_of_threads.hpp"

namespace shm {
namespace {

using test::NodeOfThreads;

/// A writer and a reader with a signal word each; the data is plain: ThreadSanitizer reports what the signal
/// does not order.
class SignalOrder : public testing::TestWithParam<SignalOperation> {
protected:
    static constexpr std::uint64_t kRounds = 3000;
    static constexpr std::size_t kWords = 40;

    void write(std::uint64_t round) {
        for (std::uint64_t& word : data_)
            word = round;
        update_signal(target_of(there_, reader_), GetParam() == SignalOperation::set ? round : 1, GetParam());
    }

    static Target target_of(std::uint64_t& word, Peer& peer) {
        return {reinterpret_cast<std::byte*>(&word), &peer, 64};
    }

    static void wait_for(Waiter& waiter, const std::uint64_t& word, std::uint64_t value) {
        waiter.wait(
            64, [&] { return load_word(&word) >= value; },
            [] { return WaitView::of("test", WaitsFor::word, 64); });
    }

    test::EndlessSleeps endless_sleeps_;
    NodeOfThreads node_{2};
    Peer reader_{0, &node_.pages().slot(0)};
    Peer writer_{0, &node_.pages().slot(1)};
    std::uint64_t data_[kWords] = {};
    alignas(64) std::uint64_t there_ = 0;
    alignas(64) std::uint64_t back_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, SignalOrder, testing::Values(SignalOperation::set, SignalOperation::add),
                         [](const auto& info) { return info.param == SignalOperation::set ? "set" : "add"; });

TEST_P(SignalOrder, who_sees_the_signal_sees_the_data) {
    std::uint64_t wrong = 0;
    node_.run([&](NodeOfThreads::Pe& pe) {
        for (std::uint64_t round = 1; round <= kRounds; ++round) {
            if (pe.number == 1) {
                write(round);
                wait_for(pe.waiter, back_, round);
                continue;
            }
            wait_for(pe.waiter, there_, round);
            for (std::uint64_t word : data_)
                wrong += word != round;
            update_signal(target_of(back_, writer_), round, SignalOperation::set);
        }
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(there_, kRounds);
}

TEST(SignalAdd, of_many_pes_adds_up) {
    constexpr std::uint64_t kRounds = 2000;
    test::EndlessSleeps endless_sleeps;
    NodeOfThreads node(5);
    Peer first{0, &node.pages().slot(0)};
    std::uint64_t word = 0;
    node.run([&](NodeOfThreads::Pe& pe) {
        Target target{reinterpret_cast<std::byte*>(&word), &first, 0};
        for (std::uint64_t round = 0; pe.number > 0 && round < kRounds; ++round)
            update_signal(target, static_cast<std::uint64_t>(pe.number), SignalOperation::add);
        if (pe.number == 0)
            pe.waiter.wait(
                0, [&] { return load_word(&word) == (1 + 2 + 3 + 4) * kRounds; },
                [] { return WaitView::of("test", WaitsFor::word, 0); });
    });
    EXPECT_EQ(word, (1 + 2 + 3 + 4) * kRounds);
}

} // namespace
} // namespace shm

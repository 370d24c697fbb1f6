// SPDX-License-Identifier: Apache-2.0
#include "base/asymmetric_fence.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace shm {
namespace {

// How often each pair of threads meets: enough that without the fences some rounds fail on two CPUs.
constexpr int kRounds = 20000;

/// Both threads store, pass their fence and load what the other one stored: at least one must see it.
/// Returns in how many rounds neither did.
int rounds_that_nobody_saw() {
    std::atomic<int> frequent_stored{0}, rare_stored{0};
    std::atomic<int> frequent_round{0}, rare_round{0};
    std::atomic<bool> frequent_saw{false};
    auto meet = [](std::atomic<int>& mine, std::atomic<int>& other, int round) {
        mine.store(round, std::memory_order_release);
        while (other.load(std::memory_order_acquire) < round)
            std::this_thread::yield();
    };
    std::thread frequent([&] {
        for (int round = 1; round <= kRounds; ++round) {
            meet(frequent_round, rare_round, 2 * round);
            frequent_stored.store(round, std::memory_order_relaxed);
            asymmetric_fence::light();
            frequent_saw.store(rare_stored.load(std::memory_order_relaxed) == round,
                               std::memory_order_relaxed);
            meet(frequent_round, rare_round, 2 * round + 1);
        }
    });
    int unseen = 0;
    for (int round = 1; round <= kRounds; ++round) {
        meet(rare_round, frequent_round, 2 * round);
        rare_stored.store(round, std::memory_order_relaxed);
        asymmetric_fence::heavy();
        bool rare_saw = frequent_stored.load(std::memory_order_relaxed) == round;
        meet(rare_round, frequent_round, 2 * round + 1);
        unseen += !rare_saw && !frequent_saw.load(std::memory_order_relaxed);
    }
    frequent.join();
    return unseen;
}

TEST(AsymmetricFence, one_of_two_sees_the_others_store) {
    if (!asymmetric_fence::register_process())
        GTEST_SKIP() << "this kernel has no membarrier";
    asymmetric_fence::set_all_registered(true);
    EXPECT_EQ(rounds_that_nobody_saw(), 0);
    asymmetric_fence::set_all_registered(false);
}

TEST(AsymmetricFence, holds_while_not_all_processes_are_registered) {
    asymmetric_fence::set_all_registered(false);
    EXPECT_EQ(rounds_that_nobody_saw(), 0);
}

} // namespace
} // namespace shm

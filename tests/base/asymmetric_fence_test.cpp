// SPDX-License-Identifier: Apache-2.0
#include "base/asymmetric_fence.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace shm {
namespace {

// Without the fences up to a hundred of these rounds fail, when both threads have a CPU.
constexpr unsigned kRounds = 20000;

/// Lines of their own: else the stores wait for each other instead of for the loads.
struct alignas(128) Number {
    std::atomic<unsigned> value{0};
};

/// Two threads go through rounds together. Each stores its round, passes its fence and loads what the other
/// one stored; at least one of the two must see it.
class Litmus {
public:
    /// In how many rounds neither did.
    unsigned unseen_rounds() {
        std::thread frequent([this] {
            for (unsigned round = 1; round <= kRounds; ++round) {
                meet(frequent_round_, rare_round_, 2 * round, delay(round * 7919));
                frequent_stored_.value.store(round, std::memory_order_relaxed);
                asymmetric_fence::light();
                unsigned seen = rare_stored_.value.load(std::memory_order_relaxed);
                frequent_saw_.value.store(seen == round, std::memory_order_relaxed);
                meet(frequent_round_, rare_round_, 2 * round + 1, 0);
            }
        });
        unsigned unseen = 0;
        for (unsigned round = 1; round <= kRounds; ++round) {
            meet(rare_round_, frequent_round_, 2 * round, delay(round * 104729));
            rare_stored_.value.store(round, std::memory_order_relaxed);
            asymmetric_fence::heavy();
            unsigned seen = frequent_stored_.value.load(std::memory_order_relaxed);
            meet(rare_round_, frequent_round_, 2 * round + 1, 0);
            unseen += seen != round && frequent_saw_.value.load(std::memory_order_relaxed) == 0;
        }
        frequent.join();
        return unseen;
    }

private:
    /// Different in each round and thread, so that the stores meet in every possible way.
    static unsigned delay(unsigned seed) { return seed * 2654435761U >> 25; }

    static void meet(Number& mine, Number& other, unsigned round, unsigned steps) {
        mine.value.store(round, std::memory_order_release);
        for (unsigned look = 0; other.value.load(std::memory_order_acquire) < round; ++look)
            if (look > 1000)
                std::this_thread::yield();
        for (unsigned step = 0; step < steps; ++step)
            compiler_fence();
    }

    Number frequent_round_, rare_round_, frequent_stored_, rare_stored_, frequent_saw_;
};

TEST(AsymmetricFence, one_of_two_sees_the_others_store) {
    if (!asymmetric_fence::register_process())
        GTEST_SKIP() << "this kernel has no membarrier";
    asymmetric_fence::set_all_registered(true);
    EXPECT_EQ(Litmus().unseen_rounds(), 0U);
    asymmetric_fence::set_all_registered(false);
}

TEST(AsymmetricFence, holds_while_not_all_processes_are_registered) {
    asymmetric_fence::set_all_registered(false);
    EXPECT_EQ(Litmus().unseen_rounds(), 0U);
}

} // namespace
} // namespace shm

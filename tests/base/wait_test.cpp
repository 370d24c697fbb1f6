// SPDX-License-Identifier: Apache-2.0
#include "base/wait.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "endless_sleeps.hpp"

namespace shm {
namespace {

using std::chrono::microseconds;
using Word = std::atomic<std::uint64_t>;

/// Cross product: yield or spin, for this long before sleeping.
struct Way {
    bool yield;
    microseconds spin_time;
};

class WaiterTest : public testing::TestWithParam<Way> {
protected:
    WaiterTest() { waiter_.set_yield(GetParam().yield); }

    std::unique_ptr<WakeUp> wake_up_ = std::make_unique<WakeUp>();
    std::atomic<WaitsFor> waits_for_{WaitsFor::nothing};
    Waiter waiter_{*wake_up_, waits_for_, GetParam().spin_time};
};

INSTANTIATE_TEST_SUITE_P(, WaiterTest,
                         testing::Values(Way{false, microseconds(0)}, Way{false, microseconds(100)},
                                         Way{true, microseconds(0)}, Way{true, microseconds(100)}),
                         [](const auto& info) {
                             return std::string(info.param.yield ? "yield" : "spin") +
                                    std::to_string(info.param.spin_time.count());
                         });

TEST_P(WaiterTest, returns_at_once_when_ready) {
    int looks = 0;
    waiter_.wait(WaitsFor::word, 0, [&] { return ++looks > 0; });
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(waits_for_.load(), WaitsFor::nothing);
}

TEST_P(WaiterTest, hands_over_data_in_every_round) {
    constexpr std::uint64_t kRounds = 2000;
    test::EndlessSleeps endless_sleeps;
    auto other_wake_up = std::make_unique<WakeUp>();
    std::atomic<WaitsFor> other_waits_for{WaitsFor::nothing};
    Waiter other(*other_wake_up, other_waits_for, GetParam().spin_time);
    other.set_yield(GetParam().yield);
    std::uint64_t data = 0; // not atomic: ThreadSanitizer reports a missing order
    Word ball{0};
    auto play = [&](Waiter& mine, WakeUp& theirs, std::uint64_t first) {
        for (std::uint64_t turn = first; turn < 2 * kRounds; turn += 2) {
            mine.wait(WaitsFor::word, 0, [&] { return ball.load(std::memory_order_acquire) == turn; });
            data += turn;
            ball.store(turn + 1, std::memory_order_release);
            theirs.notify(0, 8);
        }
    };
    std::thread second([&] { play(other, *wake_up_, 1); });
    play(waiter_, *other_wake_up, 0);
    second.join();
    EXPECT_EQ(data, 2 * kRounds * (2 * kRounds - 1) / 2);
}

TEST_P(WaiterTest, many_threads_wait_at_the_same_time) {
    constexpr int kThreads = 6;
    test::EndlessSleeps endless_sleeps;
    constexpr std::uint64_t kRounds = 50;
    Word round{0};
    Word done{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&] {
            for (std::uint64_t wanted = 1; wanted <= kRounds; ++wanted) {
                waiter_.wait(WaitsFor::word, 0,
                             [&] { return round.load(std::memory_order_acquire) >= wanted; });
                done.fetch_add(1, std::memory_order_release);
            }
        });
    for (std::uint64_t now = 1; now <= kRounds; ++now) {
        round.store(now, std::memory_order_release);
        wake_up_->notify(0, 8);
        while (done.load(std::memory_order_acquire) < now * kThreads)
            std::this_thread::yield();
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(done.load(), kThreads * kRounds);
}

TEST_P(WaiterTest, a_sleeper_says_what_it_waits_for_until_it_is_woken) {
    Word word{0};
    std::thread waiting(
        [&] { waiter_.wait(WaitsFor::event, 0, [&] { return word.load(std::memory_order_acquire) == 1; }); });
    while (waits_for_.load() != WaitsFor::event)
        std::this_thread::yield();
    word.store(1, std::memory_order_release);
    wake_up_->notify(0, 8);
    waiting.join();
    EXPECT_EQ(waits_for_.load(), WaitsFor::nothing);
}

TEST_P(WaiterTest, a_long_wait_sleeps_instead_of_looking_all_the_time) {
    test::EndlessSleeps endless_sleeps;
    Word word{0}, looks{0};
    std::thread waiting([&] {
        waiter_.wait(WaitsFor::word, 0, [&] {
            looks.fetch_add(1, std::memory_order_relaxed);
            return word.load(std::memory_order_acquire) == 1;
        });
    });
    while (waits_for_.load() != WaitsFor::word)
        std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::uint64_t asleep = looks.load();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(looks.load(), asleep);
    word.store(1, std::memory_order_release);
    wake_up_->notify(0, 8);
    waiting.join();
}

} // namespace
} // namespace shm

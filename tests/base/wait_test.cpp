// SPDX-License-Identifier: Apache-2.0
#include "base/wait.hpp"

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "endless_sleeps.hpp"

namespace shm {
namespace {

using std::chrono::microseconds;
using Word = std::atomic<std::uint64_t>;

WaitView description() {
    return WaitView::of("test", WaitsFor::word, 0);
}

/// Cross product: yield or spin, for this long before sleeping.
struct Way {
    bool yield;
    microseconds spin_time;
};

class WaiterTest : public testing::TestWithParam<Way> {
protected:
    WaiterTest() { waiter_.set_yield(GetParam().yield); }

    std::unique_ptr<WakeUp> wake_up_ = std::make_unique<WakeUp>();
    std::unique_ptr<WaitRecords> records_ = std::make_unique<WaitRecords>();
    Waiter waiter_{*wake_up_, *records_, GetParam().spin_time};

    /// Returns when so many threads sleep.
    void until_asleep(std::size_t threads = 1) {
        while (records_->all().size() != threads)
            std::this_thread::yield();
    }
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
    waiter_.wait(
        0, [&] { return ++looks > 0; }, description);
    EXPECT_EQ(looks, 1);
}

TEST_P(WaiterTest, describes_itself_only_when_it_sleeps) {
    waiter_.wait(
        0, [looks = 0]() mutable { return ++looks > 2; },
        [] {
            ADD_FAILURE() << "described without a sleep";
            return description();
        });
    EXPECT_TRUE(records_->all().empty());
}

TEST_P(WaiterTest, hands_over_data_in_every_round) {
    constexpr std::uint64_t kRounds = 2000;
    test::EndlessSleeps endless_sleeps;
    auto other_wake_up = std::make_unique<WakeUp>();
    auto other_records = std::make_unique<WaitRecords>();
    Waiter other(*other_wake_up, *other_records, GetParam().spin_time);
    other.set_yield(GetParam().yield);
    std::uint64_t data = 0; // not atomic: ThreadSanitizer reports a missing order
    Word ball{0};
    auto play = [&](Waiter& mine, WakeUp& theirs, std::uint64_t first) {
        for (std::uint64_t turn = first; turn < 2 * kRounds; turn += 2) {
            mine.wait(
                0, [&] { return ball.load(std::memory_order_acquire) == turn; }, description);
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
                waiter_.wait(
                    0, [&] { return round.load(std::memory_order_acquire) >= wanted; }, description);
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

TEST_P(WaiterTest, sleepers_say_what_they_wait_for_until_they_are_woken) {
    constexpr int kThreads = 3;
    Word word{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            waiter_.wait(
                0, [&] { return word.load(std::memory_order_acquire) == 1; },
                [&] { return WaitView::of("a_call", WaitsFor::event, kEventPosition + 8 * thread); });
        });
    until_asleep(kThreads);
    std::set<Position> positions;
    std::set<std::int64_t> numbers;
    for (const WaitView& view : records_->all()) {
        EXPECT_STREQ(view.call, "a_call");
        EXPECT_EQ(view.what, WaitsFor::event);
        EXPECT_GT(view.since, 0U);
        positions.insert(view.position);
        numbers.insert(view.thread);
    }
    EXPECT_EQ(positions.size(), kThreads);
    EXPECT_EQ(numbers.size(), kThreads);
    word.store(1, std::memory_order_release);
    wake_up_->notify(0, 8);
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_TRUE(records_->all().empty());
}

TEST_P(WaiterTest, the_watch_is_told_of_a_long_wait_when_it_wants_to_be) {
    constexpr auto kFirst = std::chrono::milliseconds(20), kThen = std::chrono::milliseconds(50);
    std::vector<Waiter::Clock::duration> told;
    waiter_.set_watch(kFirst, [&](const WaitView& view, Waiter::Clock::duration waited) {
        EXPECT_STREQ(view.call, "test");
        told.push_back(waited);
        return told.size() == 1 ? Waiter::Clock::duration(kThen) : std::chrono::hours(1);
    });
    waiter_.wait(
        0, [&] { return told.size() == 2; }, description);
    EXPECT_GE(told[0], kFirst);
    EXPECT_GE(told[1], kThen);
}

TEST_P(WaiterTest, a_long_wait_sleeps_instead_of_looking_all_the_time) {
    test::EndlessSleeps endless_sleeps;
    Word word{0}, looks{0};
    std::thread waiting([&] {
        auto ready = [&] {
            looks.fetch_add(1, std::memory_order_relaxed);
            return word.load(std::memory_order_acquire) == 1;
        };
        waiter_.wait(0, ready, description);
    });
    until_asleep();
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

// SPDX-License-Identifier: Apache-2.0
#include "base/wake_up.hpp"

#include <memory>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "endless_sleeps.hpp"

namespace shm {
namespace {

using Word = std::atomic<std::uint64_t>;

/// With a membarrier, and with fences on both sides.
class WakeUpTest : public testing::TestWithParam<bool> {
protected:
    WakeUpTest() {
        bool registered = asymmetric_fence::register_process();
        asymmetric_fence::set_all_registered(GetParam() && registered);
    }
    ~WakeUpTest() override { asymmetric_fence::set_all_registered(false); }

    /// A thread that sleeps until `word` is at least `value`.
    std::thread sleeper(Position position, Word& word, std::uint64_t value) {
        return std::thread([this, position, &word, value] {
            wake_up_->sleep_until(position, [&] {
                looks_.fetch_add(1);
                return word.load(std::memory_order_acquire) >= value;
            });
        });
    }

    /// Returns when the sleepers have looked so often: from the first look on they are announced.
    void await_looks(std::uint64_t looks) {
        while (looks_.load() < looks)
            std::this_thread::yield();
    }

    void store_and_notify(Position position, Word& word, std::uint64_t value) {
        word.store(value, std::memory_order_release);
        wake_up_->notify(position, sizeof word);
    }

    std::optional<test::EndlessSleeps> endless_sleeps_{std::in_place};
    std::unique_ptr<WakeUp> wake_up_ = std::make_unique<WakeUp>();
    Word looks_{0};
};

INSTANTIATE_TEST_SUITE_P(, WakeUpTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "with_membarrier" : "with_fences"; });

TEST_P(WakeUpTest, no_wake_up_is_lost_between_two_that_sleep_at_once) {
    constexpr std::uint64_t kTurns = 20000;
    auto other = std::make_unique<WakeUp>();
    std::uint64_t data = 0; // not atomic: ThreadSanitizer reports a missing order
    Word ball{0};
    auto play = [&](WakeUp& mine, WakeUp& theirs, std::uint64_t first) {
        for (std::uint64_t turn = first; turn < kTurns; turn += 2) {
            mine.sleep_until(8, [&] { return ball.load(std::memory_order_acquire) == turn; });
            data += turn;
            ball.store(turn + 1, std::memory_order_release);
            theirs.notify(8, 8);
        }
    };
    std::thread second([&] { play(*other, *wake_up_, 1); });
    play(*wake_up_, *other, 0);
    second.join();
    EXPECT_EQ(data, kTurns * (kTurns - 1) / 2);
}

TEST_P(WakeUpTest, no_wake_up_is_lost_when_the_store_meets_the_falling_asleep) {
    constexpr std::uint64_t kRounds = 20000;
    Word word{0}, begun{0};
    std::thread writer([&] {
        for (std::uint64_t round = 1; round <= kRounds; ++round) {
            while (begun.load(std::memory_order_relaxed) < round)
                cpu_relax();
            for (std::uint64_t delay = 0; delay < round % 64; ++delay)
                cpu_relax(); // the store comes at another moment of the falling asleep each time
            store_and_notify(0, word, round);
        }
    });
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        begun.store(round, std::memory_order_relaxed);
        wake_up_->sleep_until(0, [&] { return word.load(std::memory_order_acquire) >= round; });
    }
    writer.join();
    EXPECT_EQ(word.load(), kRounds);
}

TEST_P(WakeUpTest, a_writer_of_another_position_wakes_nobody) {
    Word word{0};
    std::thread sleeping = sleeper(4096, word, 1);
    await_looks(1);
    for (int write = 0; write < 1000; ++write) {
        wake_up_->notify(0, 4096);                 // up to it
        wake_up_->notify(4096 + kWatchedBytes, 1); // behind it
        wake_up_->notify(4096, 0);                 // nothing
        wake_up_->notify(kEventPosition, 1);
    }
    EXPECT_EQ(looks_.load(), 1U);
    store_and_notify(4096, word, 1);
    sleeping.join();
}

TEST_P(WakeUpTest, a_write_to_any_byte_of_the_word_wakes) {
    for (Position begin : {Position{0}, Position{4095}, Position{4096}, Position{4100}, Position{4103}}) {
        Word word{0};
        looks_ = 0;
        std::thread sleeping = sleeper(4096, word, 1);
        await_looks(1);
        wake_up_->notify(begin, 4104 - begin);
        await_looks(2);
        word.store(1, std::memory_order_release);
        wake_up_->notify(begin, 4097 - begin);
        sleeping.join();
        // The first wake-up may arrive when the sleeper has seen its count already: then it looks once more.
        EXPECT_GE(looks_.load(), 3U) << "a write from " << begin;
    }
}

TEST_P(WakeUpTest, two_sleepers_on_different_words_are_both_woken) {
    constexpr std::uint64_t kRounds = 500;
    Word words[2] = {{0}, {0}};
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        std::thread first = sleeper(64, words[0], round);
        std::thread second = sleeper(128, words[1], round);
        std::uint64_t sooner = round % 2;
        store_and_notify(sooner ? 128 : 64, words[sooner], round);
        store_and_notify(sooner ? 64 : 128, words[1 - sooner], round);
        first.join();
        second.join();
    }
    EXPECT_EQ(words[0].load(), words[1].load());
}

TEST_P(WakeUpTest, two_that_are_asleep_on_different_words_are_woken_apart) {
    Word words[2] = {{0}, {0}};
    std::thread first = sleeper(64, words[0], 1);
    std::thread second = sleeper(128, words[1], 1);
    await_looks(2);
    store_and_notify(128, words[1], 1);
    second.join();
    store_and_notify(64, words[0], 1);
    first.join();
    EXPECT_GE(looks_.load(), 4U);
}

TEST_P(WakeUpTest, when_two_have_left_a_third_watches_its_own_word_only) {
    Word words[2] = {{0}, {0}};
    std::thread first = sleeper(64, words[0], 1);
    std::thread second = sleeper(128, words[0], 1);
    await_looks(2); // together they watch everything
    store_and_notify(64, words[0], 1);
    first.join();
    second.join();
    looks_ = 0;
    std::thread third = sleeper(4096, words[1], 1);
    await_looks(1);
    for (int write = 0; write < 1000; ++write)
        wake_up_->notify(64, 8);
    EXPECT_EQ(looks_.load(), 1U);
    store_and_notify(4096, words[1], 1);
    third.join();
}

TEST_P(WakeUpTest, a_plain_store_is_seen_without_a_wake_up) {
    endless_sleeps_.reset();
    Word word{0};
    std::thread sleeping = sleeper(0, word, 1);
    await_looks(2);
    word.store(1, std::memory_order_release);
    sleeping.join(); // never, if it did not look again by itself
    EXPECT_GE(looks_.load(), 2U);
}

} // namespace
} // namespace shm

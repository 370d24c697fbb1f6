// SPDX-License-Identifier: Apache-2.0
#include "core/event.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "endless_sleeps.hpp"

namespace shm {
namespace {

using std::chrono::microseconds;

/// The events of one PE and how it waits for them.
struct Owner {
    explicit Owner(microseconds spin_time) : waiter(*wake_up, *waits, spin_time) {}

    void signal(int id) { events->signal(id, *wake_up); }
    void wait(int id) { events->wait("shmemx_wait_event", id, waiter); }

    /// Whether a thread sleeps in a wait for event `id`.
    bool sleeps_for(int id) const {
        for (const WaitView& view : waits->all())
            if (view.what == WaitsFor::event && view.position == EventCounters::position_of(id))
                return true;
        return false;
    }

    std::unique_ptr<EventCounters> events = std::make_unique<EventCounters>();
    std::unique_ptr<WakeUp> wake_up = std::make_unique<WakeUp>();
    std::unique_ptr<WaitRecords> waits = std::make_unique<WaitRecords>();
    Waiter waiter;
};

class EventTest : public testing::TestWithParam<int> {
protected:
    static microseconds spin_time() { return microseconds(GetParam()); }

    test::EndlessSleeps endless_sleeps_;
    Owner owner_{spin_time()};
};

INSTANTIATE_TEST_SUITE_P(SpinTime, EventTest, testing::Values(0, 50));

TEST_P(EventTest, two_signals_satisfy_two_waits_and_no_third) {
    owner_.signal(7);
    owner_.signal(7);
    owner_.wait(7);
    owner_.wait(7);
    std::atomic<bool> third{false};
    std::thread waiting([&] {
        owner_.wait(7);
        third = true;
    });
    while (!owner_.sleeps_for(7))
        std::this_thread::yield();
    EXPECT_FALSE(third);
    owner_.signal(7);
    waiting.join();
    EXPECT_TRUE(third);
}

TEST_P(EventTest, events_do_not_mix) {
    for (int id = 0; id < kEvents; ++id)
        for (int count = 0; count <= id % 3; ++count)
            owner_.signal(id);
    for (int id = kEvents - 1; id >= 0; --id)
        for (int count = 0; count <= id % 3; ++count)
            owner_.wait(id);
    std::thread waiting([&] { owner_.wait(8); });
    while (!owner_.sleeps_for(8))
        std::this_thread::yield();
    for (int id = 0; id < kEvents; ++id)
        if (id != 8)
            owner_.signal(id);
    EXPECT_TRUE(owner_.sleeps_for(8)) << "still waiting";
    owner_.signal(8);
    waiting.join();
}

TEST_P(EventTest, a_wait_sees_what_was_done_before_the_signal) {
    constexpr std::uint64_t kTurns = 4000;
    Owner other(spin_time());
    std::uint64_t data = 0; // not atomic: ThreadSanitizer reports a missing order
    std::thread second([&] {
        for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
            other.wait(3);
            ++data;
            owner_.signal(3);
        }
    });
    for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
        ++data;
        other.signal(3);
        owner_.wait(3);
    }
    second.join();
    EXPECT_EQ(data, 2 * kTurns);
}

TEST_P(EventTest, many_signallers_satisfy_as_many_waits_of_many_threads) {
    constexpr int kSignallers = 4;
    constexpr int kWaiters = 3;
    constexpr int kSignals = 600; // of each signaller
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int signaller = 0; signaller < kSignallers; ++signaller)
        threads.emplace_back([&] {
            for (int count = 0; count < kSignals; ++count)
                owner_.signal(0);
        });
    for (int waiter = 0; waiter < kWaiters; ++waiter)
        threads.emplace_back([&] {
            for (int count = 0; count < kSignallers * kSignals / kWaiters; ++count) {
                owner_.wait(0);
                ++taken;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(taken, kSignallers * kSignals);
}

TEST_P(EventTest, threads_that_wait_for_different_events_are_all_woken) {
    constexpr int kThreads = 5;
    constexpr int kRounds = 200;
    Owner answers(spin_time());
    std::vector<std::thread> threads;
    for (int id = 0; id < kThreads; ++id)
        threads.emplace_back([&, id] {
            for (int round = 0; round < kRounds; ++round) {
                owner_.wait(id);
                answers.signal(0);
            }
        });
    for (int round = 0; round < kRounds; ++round)
        for (int id = 0; id < kThreads; ++id) {
            owner_.signal((id + round) % kThreads);
            answers.wait(0);
        }
    for (std::thread& thread : threads)
        thread.join();
    SUCCEED() << "or the test would not have ended";
}

TEST_P(EventTest, reset_forgets_signals_and_tickets) {
    owner_.signal(1);
    owner_.signal(2);
    owner_.wait(2);
    owner_.events->reset();
    for (int id : {1, 2}) {
        std::thread waiting([&] { owner_.wait(id); });
        while (!owner_.sleeps_for(id))
            std::this_thread::yield();
        owner_.signal(id);
        waiting.join();
    }
}

TEST_P(EventTest, the_counts_may_wrap) {
    // All bytes one: every count is one step before zero.
    std::memset(static_cast<void*>(owner_.events.get()), 0xff, sizeof(EventCounters));
    for (int count = 0; count < 3; ++count)
        owner_.signal(5);
    for (int count = 0; count < 3; ++count)
        owner_.wait(5);
    std::thread waiting([&] { owner_.wait(5); });
    while (!owner_.sleeps_for(5))
        std::this_thread::yield();
    owner_.signal(5);
    waiting.join();
}

} // namespace
} // namespace shm

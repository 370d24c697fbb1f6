// SPDX-License-Identifier: Apache-2.0
#include "launch/progress.hpp"

#include <array>

#include <gtest/gtest.h>

#include "slots.hpp"

namespace shm::launch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Finding = StallWatch::Finding;

class StallWatchTest : public testing::Test {
protected:
    StallWatch watch(StallWatch::Limits limits) {
        return {roster_, limits,
                [this](int pe) -> std::optional<std::chrono::nanoseconds> {
                    return cpu_times_[static_cast<std::size_t>(pe)];
                },
                [this] { return others_time_; }, start_};
    }
    void all_wait() {
        for (int pe = 0; pe < Slots::kPes; ++pe)
            slots_.set(pe, Phase::running, WaitsFor::all_pes, 1);
    }

    Slots slots_;
    Roster roster_{slots_.pages(), "host"};
    std::array<milliseconds, Slots::kPes> cpu_times_{};
    milliseconds others_time_{0};
    Clock::time_point start_ = Clock::now();
};

/// The times, in whole seconds up to `last`, at which something was found.
std::vector<int> times_of(Finding wanted, StallWatch& watch, Clock::time_point start, int last) {
    std::vector<int> times;
    for (int second = 0; second <= last; ++second) {
        if (watch.look(start + seconds(second)) == wanted)
            times.push_back(second);
    }
    return times;
}

TEST_F(StallWatchTest, reports_a_stall_at_doubling_intervals) {
    StallWatch watched = watch({seconds(30), seconds(0)});
    all_wait();
    EXPECT_EQ(times_of(Finding::stall, watched, start_, 250), (std::vector<int>{30, 60, 120, 240}));
    EXPECT_EQ(watched.reached(), seconds(240));
}

TEST_F(StallWatchTest, a_new_wait_is_progress) {
    StallWatch watched = watch({seconds(30), seconds(0)});
    all_wait();
    EXPECT_EQ(times_of(Finding::stall, watched, start_, 29), std::vector<int>());
    slots_.set(2, Phase::running, WaitsFor::all_pes, 2);
    EXPECT_EQ(times_of(Finding::stall, watched, start_ + seconds(30), 29), std::vector<int>());
    EXPECT_EQ(times_of(Finding::stall, watched, start_ + seconds(60), 0), std::vector<int>{0});
}

TEST_F(StallWatchTest, computing_is_progress_and_sleeping_is_not) {
    StallWatch watched = watch({seconds(3), seconds(0)});
    all_wait();
    slots_.set(1, Phase::running);
    for (int second = 0; second < 10; ++second) {
        cpu_times_[1] += milliseconds(2);
        EXPECT_EQ(watched.look(start_ + seconds(second)), Finding::nothing);
    }
    cpu_times_[1] += milliseconds(1); // charged to it, but not its own
    EXPECT_EQ(times_of(Finding::stall, watched, start_ + seconds(10), 2), std::vector<int>{2});
}

TEST_F(StallWatchTest, what_a_sleeping_wait_uses_is_no_progress_but_other_threads_computing_is) {
    StallWatch watched = watch({seconds(3), seconds(0)});
    all_wait();
    for (int second = 0; second < 10; ++second) {
        cpu_times_[0] += milliseconds(500);
        EXPECT_EQ(watched.look(start_ + seconds(second)), Finding::nothing);
    }
    int stalls = 0;
    for (int second = 10; second < 13; ++second) {
        cpu_times_[0] += milliseconds(5); // 100 looks at the word
        stalls += watched.look(start_ + seconds(second)) == Finding::stall;
    }
    EXPECT_EQ(stalls, 1);
}

TEST_F(StallWatchTest, a_pe_may_wait_for_another_process_of_the_job_that_computes) {
    StallWatch watched = watch({seconds(3), seconds(0)});
    all_wait();
    slots_.set(1, Phase::running);
    for (int second = 0; second < 10; ++second) {
        others_time_ += milliseconds(500);
        EXPECT_EQ(watched.look(start_ + seconds(second)), Finding::nothing);
    }
    EXPECT_EQ(times_of(Finding::stall, watched, start_ + seconds(10), 2), std::vector<int>{2});
}

TEST_F(StallWatchTest, a_process_of_which_nothing_is_known_counts_as_working) {
    StallWatch watched(
        roster_, {seconds(3), seconds(3)}, [](int) { return std::nullopt; }, [] { return milliseconds(0); },
        start_);
    all_wait();
    slots_.set(1, Phase::running);
    EXPECT_EQ(times_of(Finding::nothing, watched, start_, 10).size(), 11U);
}

TEST_F(StallWatchTest, without_a_wait_in_the_library_it_is_the_programs_own_affair) {
    StallWatch watched = watch({seconds(3), seconds(3)});
    EXPECT_EQ(times_of(Finding::nothing, watched, start_, 10).size(), 11U);
    for (int pe = 0; pe < Slots::kPes; ++pe)
        slots_.set(pe, Phase::running);
    EXPECT_EQ(times_of(Finding::nothing, watched, start_ + seconds(11), 10).size(), 11U);
}

TEST_F(StallWatchTest, the_end_of_a_pe_is_progress_once) {
    StallWatch watched = watch({seconds(3), seconds(0)});
    all_wait();
    EXPECT_EQ(times_of(Finding::stall, watched, start_, 2), std::vector<int>());
    roster_.end(2, exited(0));
    EXPECT_EQ(times_of(Finding::stall, watched, start_ + seconds(3), 4), std::vector<int>{3});
}

TEST_F(StallWatchTest, the_time_limit_comes_before_reports_that_are_due_later) {
    StallWatch watched = watch({seconds(30), seconds(3)});
    all_wait();
    EXPECT_EQ(watched.look(start_), Finding::nothing);
    EXPECT_EQ(watched.look(start_ + milliseconds(2999)), Finding::nothing);
    EXPECT_EQ(watched.look(start_ + seconds(3)), Finding::timeout);
    EXPECT_EQ(watched.reached(), seconds(3));
}

TEST_F(StallWatchTest, looks_often_enough_for_its_limits_and_no_more) {
    StallWatch watched = watch({seconds(30), seconds(0)});
    EXPECT_EQ(watched.next_look(), start_ + seconds(1));
    StallWatch hasty = watch({seconds(30), milliseconds(400)});
    EXPECT_EQ(hasty.next_look(), start_ + milliseconds(100));
}

TEST_F(StallWatchTest, a_limit_is_looked_at_when_it_is_reached) {
    StallWatch watched = watch({milliseconds(2500), seconds(0)});
    all_wait();
    EXPECT_EQ(watched.look(start_), Finding::nothing);
    EXPECT_EQ(watched.look(start_ + milliseconds(2200)), Finding::nothing);
    EXPECT_EQ(watched.next_look(), start_ + milliseconds(2500));
}

TEST_F(StallWatchTest, time_in_which_the_pes_were_stopped_does_not_count) {
    StallWatch watched = watch({seconds(3), seconds(0)});
    all_wait();
    EXPECT_EQ(watched.look(start_), Finding::nothing);
    watched.restart(start_ + seconds(100));
    EXPECT_EQ(watched.look(start_ + seconds(102)), Finding::nothing);
    EXPECT_EQ(watched.look(start_ + seconds(103)), Finding::stall);
}

} // namespace
} // namespace shm::launch

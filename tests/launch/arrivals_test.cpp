// SPDX-License-Identifier: Apache-2.0
#include "launch/arrivals.hpp"

#include <gtest/gtest.h>

#include "slots.hpp"

namespace shm::launch {
namespace {

using std::chrono::seconds;

class ArrivalsTest : public testing::Test {
protected:
    std::optional<Verdict> look(Clock::duration after, bool all_started = true, bool strangers = false) {
        return arrivals_.look(start_ + after, all_started, strangers);
    }

    Slots slots_;
    Roster roster_{slots_.pages(), "host"};
    Arrivals arrivals_{roster_, seconds(60)};
    Clock::time_point start_ = Clock::now();
};

TEST_F(ArrivalsTest, a_program_that_never_calls_init_is_fine) {
    roster_.end(0, exited(0));
    EXPECT_FALSE(look(seconds(0)));
    EXPECT_FALSE(look(seconds(1000)));
}

TEST_F(ArrivalsTest, the_limit_counts_from_the_first_that_arrives) {
    EXPECT_FALSE(look(seconds(0)));
    slots_.set(0, Phase::joined, WaitsFor::all_pes);
    EXPECT_FALSE(look(seconds(100)));
    EXPECT_FALSE(look(seconds(159)));
    slots_.set(1, Phase::joined, WaitsFor::all_pes);
    std::optional<Verdict> verdict = look(seconds(160));
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
    EXPECT_EQ(verdict->line, "2 of 3 PEs arrived in shmem_init, missing PE 2 (still starting on host host) "
                             "after 60 s (SHMEM_START_TIMEOUT)");
}

TEST_F(ArrivalsTest, a_limit_of_0_is_none) {
    Arrivals patient(roster_, seconds(0));
    slots_.set(0, Phase::joined, WaitsFor::all_pes);
    EXPECT_FALSE(patient.look(start_, true, false));
    EXPECT_FALSE(patient.look(start_ + seconds(1'000'000), true, false));
}

TEST_F(ArrivalsTest, time_in_which_the_pes_were_stopped_does_not_count) {
    slots_.set(0, Phase::joined, WaitsFor::all_pes);
    EXPECT_FALSE(look(seconds(0)));
    arrivals_.restart();
    EXPECT_FALSE(look(seconds(100)));
    EXPECT_FALSE(look(seconds(159)));
    EXPECT_TRUE(look(seconds(160)));
}

TEST_F(ArrivalsTest, a_pe_that_ended_before_init_dooms_the_others_soon) {
    slots_.set(0, Phase::joined, WaitsFor::all_pes);
    slots_.set(1, Phase::joined, WaitsFor::all_pes);
    roster_.end(2, exited(0));
    EXPECT_FALSE(look(seconds(0)));
    std::optional<Verdict> verdict = look(kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line,
              "2 of 3 PEs arrived in shmem_init, missing PE 2 (exited with status 0 before shmem_init)");
}

TEST_F(ArrivalsTest, a_pe_may_come_from_a_process_that_a_wrapper_left_behind) {
    slots_.set(0, Phase::joined, WaitsFor::all_pes);
    roster_.end(2, exited(0));
    EXPECT_FALSE(look(seconds(0), true, true));
    EXPECT_FALSE(look(seconds(59), true, true));
    EXPECT_TRUE(look(seconds(60), true, true));
}

TEST_F(ArrivalsTest, all_that_are_missing_are_named_the_cause_first) {
    slots_.set(0, Phase::joined, WaitsFor::all_pes);
    roster_.end(2, exited(3));
    EXPECT_EQ(arrivals_.line(true), "1 of 3 PEs arrived in shmem_init, missing PE 2 (exited with status 3 "
                                    "before shmem_init), PE 1 (still starting on host host)");
    EXPECT_EQ(arrivals_.line(false), "1 of 3 PEs arrived in shmem_init, missing PE 2 (exited with status 3 "
                                     "before shmem_init), PE 1 (never started)");
}

TEST_F(ArrivalsTest, are_complete_once_all_have_joined) {
    for (int pe : {0, 1, 2})
        slots_.set(pe, Phase::joined, WaitsFor::all_pes);
    EXPECT_FALSE(look(seconds(0)));
    EXPECT_FALSE(look(seconds(1000)));
}

TEST(NamePes, is_short_for_many) {
    EXPECT_EQ(name_pes({2}), "PE 2");
    EXPECT_EQ(name_pes({0, 1, 2, 5}), "PEs 0-2, 5");
}

} // namespace
} // namespace shm::launch

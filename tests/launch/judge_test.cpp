// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/judge.hpp"

#include "slots.hpp"

namespace shm::launch {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr int kSegmentationFault = 11; // a wait status: killed by this signal, no core

class JudgeTest : public testing::Test {
protected:
    void set(int pe, Phase phase, WaitsFor waits_for = WaitsFor::nothing) {
        slots_.set(pe, phase, waits_for);
    }

    /// What was launched for PE `pe` ends; `wrapper`: the PE was another process.
    std::optional<Verdict> end(int pe, int wait_status, bool wrapper = false) {
        constexpr pid_t kProcess = 123;
        slots_.pages().slot(pe).process = kProcess;
        roster_.end(pe, wait_status);
        return judge_.end_of(pe, wrapper ? kProcess + 1 : kProcess, wait_status);
    }

    void call_global_exit(int pe, int status) {
        slots_.pages().header().global_exit = GlobalExit{pe, status}.word();
    }

    Slots slots_;
    ControlPages pages_ = slots_.pages();
    Roster roster_{pages_, "host"};
    MemoryKills memory_kills_{Cgroup("memory", "/nowhere", "/nowhere"), "/nowhere/vmstat"};
    Judge judge_{roster_, memory_kills_};
    Clock::time_point start_ = Clock::now();
};

TEST_F(JudgeTest, a_good_end_is_no_failure) {
    EXPECT_FALSE(end(0, exited(0)));
}

TEST_F(JudgeTest, a_failure_names_the_pe_its_host_and_how_it_ended) {
    std::optional<Verdict> verdict = end(2, kSegmentationFault);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 139);
    EXPECT_EQ(verdict->line, "PE 2 on host was killed by signal 11 (Segmentation fault)");
}

TEST_F(JudgeTest, a_failure_repeats_the_reason_that_the_pe_left) {
    set(1, Phase::failed);
    std::strcpy(pages_.slot(1).failure, "cannot map the heap");
    std::optional<Verdict> verdict = end(1, exited(3));
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line, "PE 1 on host exited with status 3: cannot map the heap");
}

TEST_F(JudgeTest, a_failed_pe_fails_the_job_even_when_a_shell_dropped_its_status) {
    set(1, Phase::failed);
    std::optional<Verdict> verdict = end(1, exited(0));
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
}

TEST_F(JudgeTest, programs_that_never_join_may_end_as_they_like) {
    EXPECT_FALSE(end(0, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 10 * kPatience));
}

TEST_F(JudgeTest, an_end_without_finalize_is_a_failure_only_while_all_others_wait) {
    set(0, Phase::running, WaitsFor::event);
    set(1, Phase::running, WaitsFor::nothing);
    set(2, Phase::running);
    EXPECT_FALSE(end(2, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 2 * kPatience));
    set(1, Phase::running, WaitsFor::all_pes);
    EXPECT_FALSE(judge_.look(start_ + 2 * kPatience));
    std::optional<Verdict> verdict = judge_.look(start_ + 3 * kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
    EXPECT_THAT(verdict->line, HasSubstr("PE 2 on host exited with status 0 without shmem_finalize"));
}

TEST_F(JudgeTest, progress_starts_the_patience_anew) {
    set(0, Phase::running, WaitsFor::event);
    set(1, Phase::running, WaitsFor::event);
    set(2, Phase::running);
    EXPECT_FALSE(end(2, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    set(0, Phase::running, WaitsFor::nothing);
    EXPECT_FALSE(judge_.look(start_ + milliseconds(500)));
    set(0, Phase::running, WaitsFor::event);
    EXPECT_FALSE(judge_.look(start_ + kPatience));
}

TEST_F(JudgeTest, a_finalized_pe_is_no_failure_while_the_others_are_in_the_barrier_that_it_passed) {
    for (int pe : {0, 1, 2})
        pages_.slot(pe).barrier_flags.rounds_entered = 7;
    set(0, Phase::finalized);
    set(1, Phase::running, WaitsFor::all_pes);
    set(2, Phase::running, WaitsFor::all_pes);
    EXPECT_FALSE(end(0, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 10 * kPatience));
}

TEST_F(JudgeTest, a_barrier_that_a_finalized_pe_can_no_longer_enter_dooms_the_job) {
    pages_.slot(0).barrier_flags.rounds_entered = 7;
    pages_.slot(1).barrier_flags.rounds_entered = 8;
    set(0, Phase::finalized);
    set(1, Phase::running, WaitsFor::all_pes);
    set(2, Phase::running);
    EXPECT_FALSE(end(0, exited(0)));
    EXPECT_TRUE(judge_.is_suspicious());
    EXPECT_FALSE(judge_.look(start_));
    std::optional<Verdict> verdict = judge_.look(start_ + kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line,
              "PE 1 waits for all PEs, but PE 0 on host has called shmem_finalize and ended, after fewer "
              "collective calls than PE 1");
}

TEST_F(JudgeTest, a_wrapper_that_ends_well_does_not_hide_how_its_pe_ended) {
    set(1, Phase::running);
    std::optional<Verdict> verdict = end(1, exited(0), true);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
    EXPECT_EQ(verdict->line, "PE 1 on host (process 123) ended without shmem_finalize");
    set(2, Phase::exited);
    EXPECT_FALSE(end(2, exited(0), true)) << "its PE called exit()";
    set(0, Phase::finalized);
    EXPECT_FALSE(end(0, exited(0), true));
}

TEST_F(JudgeTest, pes_that_all_exit_without_finalize_wait_for_nobody) {
    for (int pe : {0, 1, 2})
        set(pe, Phase::exited);
    EXPECT_FALSE(end(0, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 10 * kPatience));
}

TEST_F(JudgeTest, an_exit_behind_a_wrapper_that_stays_is_seen) {
    set(0, Phase::running, WaitsFor::all_pes);
    set(1, Phase::exited);
    set(2, Phase::running, WaitsFor::event);
    EXPECT_TRUE(judge_.is_suspicious());
    EXPECT_FALSE(judge_.look(start_));
    std::optional<Verdict> verdict = judge_.look(start_ + kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line, "PE 1 on host exited without shmem_finalize, while all others were waiting");
}

TEST_F(JudgeTest, a_global_exit_waits_for_the_end_of_its_pe) {
    EXPECT_FALSE(judge_.has_global_exit());
    EXPECT_FALSE(judge_.global_exit(start_));
    call_global_exit(2, 3);
    EXPECT_TRUE(judge_.has_global_exit());
    EXPECT_FALSE(judge_.global_exit(start_));
    end(1, exited(0));
    EXPECT_FALSE(judge_.global_exit(start_));
    end(2, exited(3));
    std::optional<Verdict> verdict = judge_.global_exit(start_);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 3);
    EXPECT_EQ(verdict->line, "PE 2 on host called shmem_global_exit(3)");
}

TEST_F(JudgeTest, a_global_exit_does_not_wait_for_ever) {
    call_global_exit(0, 3);
    EXPECT_FALSE(judge_.global_exit(start_));
    EXPECT_FALSE(judge_.global_exit(start_ + Judge::kExitGrace - milliseconds(1)));
    EXPECT_TRUE(judge_.global_exit(start_ + Judge::kExitGrace));
}

TEST_F(JudgeTest, a_global_exit_has_the_status_that_exit_would_give) {
    call_global_exit(0, 256 + 7);
    end(0, exited(7));
    EXPECT_EQ(judge_.global_exit(start_)->status, 7);
}

TEST_F(JudgeTest, a_global_exit_with_status_0_is_a_quiet_end) {
    call_global_exit(0, 0);
    end(0, exited(0));
    std::optional<Verdict> verdict = judge_.global_exit(start_);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 0);
    EXPECT_EQ(verdict->line, "");
}

TEST_F(JudgeTest, a_global_exit_of_a_pe_that_does_not_exist_is_none) {
    call_global_exit(7, 3);
    EXPECT_FALSE(judge_.global_exit(start_));
}

} // namespace
} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/judge.hpp"

namespace shm::launch {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr int kSegmentationFault = 11; // a wait status: killed by this signal, no core
constexpr int kAbort = 6;              // likewise
constexpr int exited(int status) {
    return status << 8;
}

class JudgeTest : public testing::Test {
protected:
    static constexpr int kPes = 3;

    JudgeTest()
        : memory_(std::calloc(1, bytes()), std::free), pages_(aligned(memory_.get())),
          judge_((pages_.header().n_pes = kPes, pages_), "host") {}

    void set(int pe, Phase phase, WaitsFor waits_for = WaitsFor::nothing) {
        pages_.slot(pe).phase = phase;
        for (int record = 0; record < WaitRecords::kRecords; ++record)
            if (pages_.slot(pe).waits.read(record))
                pages_.slot(pe).waits.end(record);
        if (waits_for != WaitsFor::nothing)
            pages_.slot(pe).waits.begin(WaitView::of("shmem_call", waits_for, 0));
    }

    static std::size_t bytes() { return ControlPages::bytes(kPes) + alignof(JobHeader); }
    static void* aligned(void* start) {
        std::size_t space = bytes();
        return std::align(alignof(JobHeader), ControlPages::bytes(kPes), start, space);
    }

    std::unique_ptr<void, decltype(&std::free)> memory_;
    ControlPages pages_;
    Judge judge_;
    Clock::time_point start_ = Clock::now();
};

TEST_F(JudgeTest, a_good_end_is_no_failure) {
    EXPECT_FALSE(judge_.end_of(0, exited(0)));
}

TEST_F(JudgeTest, a_failure_names_the_pe_its_host_and_how_it_ended) {
    std::optional<Verdict> verdict = judge_.end_of(2, kSegmentationFault);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 139);
    EXPECT_EQ(verdict->line, "PE 2 on host was killed by signal 11 (Segmentation fault)");
}

TEST_F(JudgeTest, a_failure_repeats_the_reason_that_the_pe_left) {
    set(1, Phase::failed);
    std::strcpy(pages_.slot(1).failure, "cannot map the heap");
    std::optional<Verdict> verdict = judge_.end_of(1, exited(3));
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line, "PE 1 on host exited with status 3: cannot map the heap");
}

TEST_F(JudgeTest, a_failed_pe_fails_the_job_even_when_a_shell_dropped_its_status) {
    set(1, Phase::failed);
    std::optional<Verdict> verdict = judge_.end_of(1, exited(0));
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
}

TEST_F(JudgeTest, an_end_before_init_dooms_the_pes_that_joined_after_a_while) {
    set(0, Phase::joined, WaitsFor::all_pes);
    set(1, Phase::joined, WaitsFor::all_pes);
    EXPECT_FALSE(judge_.end_of(2, exited(0)));
    EXPECT_TRUE(judge_.is_suspicious());
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + Judge::kPatience - milliseconds(1)));
    std::optional<Verdict> verdict = judge_.look(start_ + Judge::kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
    EXPECT_EQ(verdict->line, "2 of 3 PEs joined; PE 2 on host exited with status 0 before shmem_init");
}

TEST_F(JudgeTest, programs_that_never_join_may_end_as_they_like) {
    EXPECT_FALSE(judge_.end_of(0, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 10 * Judge::kPatience));
}

TEST_F(JudgeTest, an_end_without_finalize_is_a_failure_only_while_all_others_wait) {
    set(0, Phase::running, WaitsFor::event);
    set(1, Phase::running, WaitsFor::nothing);
    set(2, Phase::running);
    EXPECT_FALSE(judge_.end_of(2, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 2 * Judge::kPatience));
    set(1, Phase::running, WaitsFor::all_pes);
    EXPECT_FALSE(judge_.look(start_ + 2 * Judge::kPatience));
    std::optional<Verdict> verdict = judge_.look(start_ + 3 * Judge::kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->status, 1);
    EXPECT_THAT(verdict->line, HasSubstr("PE 2 on host exited with status 0 without shmem_finalize"));
}

TEST_F(JudgeTest, progress_starts_the_patience_anew) {
    set(0, Phase::running, WaitsFor::event);
    set(1, Phase::running, WaitsFor::event);
    set(2, Phase::running);
    EXPECT_FALSE(judge_.end_of(2, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    set(0, Phase::running, WaitsFor::nothing);
    EXPECT_FALSE(judge_.look(start_ + milliseconds(500)));
    set(0, Phase::running, WaitsFor::event);
    EXPECT_FALSE(judge_.look(start_ + Judge::kPatience));
}

TEST_F(JudgeTest, a_finalized_pe_is_no_failure_while_the_others_are_in_the_barrier_that_it_passed) {
    for (int pe : {0, 1, 2})
        pages_.slot(pe).barrier_flags.rounds_entered = 7;
    set(0, Phase::finalized);
    set(1, Phase::running, WaitsFor::all_pes);
    set(2, Phase::running, WaitsFor::all_pes);
    EXPECT_FALSE(judge_.end_of(0, exited(0)));
    EXPECT_FALSE(judge_.look(start_));
    EXPECT_FALSE(judge_.look(start_ + 10 * Judge::kPatience));
}

TEST_F(JudgeTest, a_barrier_that_a_finalized_pe_can_no_longer_enter_dooms_the_job) {
    pages_.slot(0).barrier_flags.rounds_entered = 7;
    pages_.slot(1).barrier_flags.rounds_entered = 8;
    set(0, Phase::finalized);
    set(1, Phase::running, WaitsFor::all_pes);
    set(2, Phase::running);
    EXPECT_FALSE(judge_.end_of(0, exited(0)));
    EXPECT_TRUE(judge_.is_suspicious());
    EXPECT_FALSE(judge_.look(start_));
    std::optional<Verdict> verdict = judge_.look(start_ + Judge::kPatience);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line,
              "PE 1 waits for all PEs, but PE 0 on host has called shmem_finalize and ended: does PE 1 "
              "make one collective call more?");
}

TEST_F(JudgeTest, an_abort_repeats_the_last_mistake) {
    std::strcpy(pages_.slot(1).failure, "pe = 4 is out of range");
    std::optional<Verdict> verdict = judge_.end_of(1, kAbort);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->line, "PE 1 on host was killed by signal 6 (Aborted): pe = 4 is out of range");
}

} // namespace
} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// A PE without a launcher tells by itself what it waits for, and ends itself at the time limit.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shmem.h"
#include "shmemx.h"

namespace {

using testing::ContainsRegex;
using testing::ExitedWithCode;
using testing::Truly;

/// In the child that waits.
template <typename Wait>
void with_settings(const char* stall_report, const char* timeout, Wait wait) {
    ::setenv("SHMEM_STALL_REPORT", stall_report, 1);
    ::setenv("SHMEM_TIMEOUT", timeout, 1);
    shmem_init();
    wait();
    shmem_finalize();
    std::exit(0);
}

int reports_in(const std::string& text) {
    int count = 0;
    for (std::size_t at = text.find(" s in shmem"); at != text.npos; at = text.find(" s in shmem", at + 1))
        ++count;
    return count;
}

void wait_for_a_signal() {
    auto* word = static_cast<std::uint64_t*>(shmem_calloc(10, sizeof(std::uint64_t)));
    word[2] = 3;
    shmem_signal_wait_until(word + 2, SHMEM_CMP_GE, 4);
}

TEST(LonePeTest, says_what_it_waits_for) {
    EXPECT_EXIT(
        with_settings("0.05", "0.5", wait_for_a_signal), ExitedWithCode(1),
        ContainsRegex("^shmem: PE 0: [0-9.]+ s in shmem_signal_wait_until, waiting for the word at "
                      "0x[0-9a-f]+ \\(byte 16 of the 80 bytes allocated at 0x[0-9a-f]+\\) to be >= 4; it is "
                      "3 \\(this PE is alone: the program was started without shmemrun\\)\n"));
}

TEST(LonePeTest, ends_itself_at_the_time_limit_and_says_why) {
    EXPECT_EXIT(
        with_settings("0", "0.2", wait_for_a_signal), ExitedWithCode(1),
        ContainsRegex("^shmem: PE 0: shmem_signal_wait_until: gives up after 0.2 s \\(SHMEM_TIMEOUT\\), "
                      "still waiting for the word at .* to be >= 4; it is 3\n$"));
}

TEST(LonePeTest, names_the_event_that_never_comes) {
    EXPECT_EXIT(
        with_settings("0", "0.2", [] { shmemx_wait_event(5); }), ExitedWithCode(1),
        ContainsRegex("shmemx_wait_event: gives up after 0.2 s \\(SHMEM_TIMEOUT\\), still waiting for a "
                      "signal of event 5\n$"));
}

TEST(LonePeTest, reports_at_doubling_intervals) {
    // At 0.01, 0.02, 0.04 ... 0.64 s, unless the machine has no time for some.
    EXPECT_EXIT(
        with_settings("0.01", "1", wait_for_a_signal), ExitedWithCode(1),
        Truly([](const std::string& text) { return reports_in(text) >= 1 && reports_in(text) <= 7; }));
}

TEST(LonePeTest, says_nothing_of_a_wait_that_ends) {
    auto be_served = [] {
        std::thread other([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50)); // so that the wait sleeps
            shmemx_signal_event(1, 0);
        });
        shmemx_wait_event(1);
        other.join();
    };
    EXPECT_EXIT(with_settings("30", "0", be_served), ExitedWithCode(0), testing::IsEmpty());
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
#include "core/wait_table.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/anonymous_file.hpp"
#include "core/node_file.hpp"

namespace shm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::uint64_t kHeap = 0x110000000000; // where every PE has its own

class WaitTableTest : public testing::Test {
protected:
    explicit WaitTableTest(int n_pes = 4)
        : node_file_(std::move(*create_node_file(n_pes, 1))), pages_(*map_control_pages(node_file_)),
          table_(pages_, node_file_), ended_(static_cast<std::size_t>(n_pes)) {
        for (int pe = 0; pe < n_pes; ++pe)
            slot(pe).phase = Phase::running;
    }
    ~WaitTableTest() override { unmap_control_pages(pages_); }

    PeSlot& slot(int pe) { return pages_.slot(pe); }

    /// PE `pe` waits, since so many seconds.
    void show(int pe, WaitView view, double seconds = 31) {
        auto now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch());
        view.since = static_cast<std::uint64_t>((now.count() - seconds) * 1e9);
        view.thread = 1000 + pe;
        slot(pe).waits.begin(view);
    }

    void enter_barrier(int pe, std::uint64_t round, const char* call = "shmem_barrier_all",
                       double seconds = 31) {
        slot(pe).barrier_flags.rounds_entered = round;
        show(pe, WaitView::of(call, WaitsFor::all_pes, kBarrierPosition), seconds);
    }

    template <typename Word>
    void write(std::uint64_t file_offset, Word value) {
        ASSERT_EQ(::pwrite(node_file_.descriptor(), &value, sizeof value, static_cast<off_t>(file_offset)),
                  static_cast<ssize_t>(sizeof value));
    }

    template <typename Word>
    static WaitView word(Position position, Comparison comparison, Word wanted) {
        WaitView view = WaitView::of("shmem_signal_wait_until", WaitsFor::word, position);
        view.address = kHeap + position;
        view.until(comparison, wanted);
        return view;
    }

    std::vector<WaitRow> rows() const { return rows_of(table_); }
    std::vector<WaitRow> rows_of(const WaitTable& table) const {
        return table.rows([this](int pe) { return ended_[static_cast<std::size_t>(pe)]; });
    }
    std::vector<std::string> lines() const { return wait_lines(rows()); }
    NodeLayout layout() const { return pages_.header().layout; }

    File node_file_;
    ControlPages pages_;
    WaitTable table_;
    std::vector<bool> ended_;
};

class WaitTableOf64Test : public WaitTableTest {
protected:
    WaitTableOf64Test() : WaitTableTest(64) {}
};

TEST_F(WaitTableTest, a_barrier_names_the_pes_that_have_not_come) {
    enter_barrier(0, 7);
    enter_barrier(2, 7);
    slot(1).barrier_flags.rounds_entered = 6;
    slot(3).barrier_flags.rounds_entered = 6;
    EXPECT_THAT(lines(),
                ElementsAre("PE 0, 2: 31 s in shmem_barrier_all, waiting for PE 1, 3", "PE 1, 3: running"));
}

TEST_F(WaitTableTest, different_calls_have_different_lines) {
    enter_barrier(0, 7);
    enter_barrier(1, 6, "shmem_malloc");
    enter_barrier(2, 7);
    enter_barrier(3, 6, "shmem_malloc");
    EXPECT_THAT(lines(), ElementsAre("PE 0, 2: 31 s in shmem_barrier_all, waiting for PE 1, 3",
                                     "PE 1, 3: 31 s in shmem_malloc, waiting for nobody: all PEs have come"));
}

TEST_F(WaitTableTest, rounds_of_barriers_may_wrap) {
    for (int pe : {0, 1, 2})
        enter_barrier(pe, 0);
    slot(3).barrier_flags.rounds_entered = ~std::uint64_t{0};
    EXPECT_EQ(lines()[0], "PE 0-2: 31 s in shmem_barrier_all, waiting for PE 3");
}

TEST_F(WaitTableOf64Test, many_pes_in_one_barrier_share_a_line_with_the_longest_time) {
    for (int pe = 0; pe < 64; ++pe)
        if (pe != 62)
            enter_barrier(pe, 1, "shmem_barrier_all", pe == 5 ? 45 : 31);
    EXPECT_THAT(lines(),
                ElementsAre("PE 0-61, 63: 45 s in shmem_barrier_all, waiting for PE 62", "PE 62: running"));
}

TEST_F(WaitTableTest, a_word_has_its_address_its_allocation_and_both_values) {
    WaitView view = word<std::uint64_t>(4112, Comparison::greater_equal, 4);
    view.object_begin = 4096;
    view.object_bytes = 800;
    show(1, view);
    write<std::uint64_t>(layout().heap_offset(1) + 4112, 3);
    EXPECT_EQ(lines()[1],
              "PE 1: 31 s in shmem_signal_wait_until, waiting for the word at 0x110000001010 (byte 16 of "
              "the 800 bytes allocated at 0x110000001000) to be >= 4; it is 3");
}

TEST_F(WaitTableTest, words_of_every_size_and_sign_are_read_as_such) {
    show(0, word<std::int8_t>(0, Comparison::equal, -1));
    show(1, word<std::uint16_t>(2, Comparison::not_equal, 65535));
    show(2, word<std::int32_t>(4, Comparison::less, -7));
    show(3, word<std::uint32_t>(8, Comparison::greater, 0));
    write<std::int8_t>(layout().heap_offset(0), -128);
    write<std::uint16_t>(layout().heap_offset(1) + 2, 65535);
    write<std::int32_t>(layout().heap_offset(2) + 4, -5);
    write<std::uint32_t>(layout().heap_offset(3) + 8, 4000000000);
    std::string start =
        "PE [0-3]: 31 s in shmem_signal_wait_until, waiting for the word at 0x[0-9a-f]+ to be ";
    EXPECT_THAT(lines(), ElementsAre(MatchesRegex(start + "== -1; it is -128"),
                                     MatchesRegex(start + "!= 65535; it is 65535"),
                                     MatchesRegex(start + "< -7; it is -5"),
                                     MatchesRegex(start + "> 0; it is 4000000000")));
}

TEST_F(WaitTableTest, a_word_in_a_shared_buffer_is_read_where_those_lie) {
    write<std::uint64_t>(layout().shared_offset(4) + 8, 9);
    show(2, word<std::uint64_t>(kSharedPosition + 8, Comparison::equal, 1));
    EXPECT_THAT(lines()[1], MatchesRegex("PE 2: .* to be == 1; it is 9"));
}

TEST_F(WaitTableTest, a_word_behind_the_end_of_the_file_is_not_readable) {
    File shorter = std::move(*create_anonymous_file("shorter", 4096));
    show(0, word<std::uint64_t>(8, Comparison::equal, 1));
    EXPECT_THAT(wait_lines(rows_of(WaitTable(pages_, shorter)))[0],
                MatchesRegex("PE 0: .* to be == 1; it is not readable"));
}

TEST_F(WaitTableTest, an_event_has_its_number) {
    show(0, WaitView::of("shmemx_wait_event", WaitsFor::event, EventCounters::position_of(63)), 0.26);
    EXPECT_THAT(lines()[0],
                MatchesRegex("PE 0: 0.3 s in shmemx_wait_event, waiting for a signal of event 63"));
}

TEST_F(WaitTableTest, a_wait_for_one_pe_names_it) {
    WaitView view = WaitView::of("shmem_set_lock", WaitsFor::pe, 0);
    view.pe = 3;
    show(0, view);
    EXPECT_EQ(lines()[0], "PE 0: 31 s in shmem_set_lock, waiting for PE 3");
}

TEST_F(WaitTableTest, each_waiting_thread_of_a_pe_has_a_line) {
    for (int id : {4, 5})
        show(0, WaitView::of("shmemx_wait_event", WaitsFor::event, EventCounters::position_of(id)));
    std::vector<std::string> found = lines();
    EXPECT_EQ(found[0], "PE 0: 31 s in shmemx_wait_event (thread 1000), waiting for a signal of event 4");
    EXPECT_EQ(found[1], "PE 0: 31 s in shmemx_wait_event (thread 1000), waiting for a signal of event 5");
    EXPECT_EQ(found[2], "PE 1-3: running");
}

TEST_F(WaitTableTest, how_far_a_pe_has_come_is_told) {
    slot(0).phase = Phase::absent;
    slot(1).phase = Phase::joined;
    slot(2).phase = Phase::finalized;
    slot(3).phase = Phase::failed;
    EXPECT_THAT(lines(),
                ElementsAre("PE 0: has not called shmem_init yet", "PE 1: running",
                            "PE 2: running, after shmem_finalize", "PE 3: ending itself after a mistake"));
}

TEST_F(WaitTableTest, pes_that_ended_say_how_far_they_came) {
    slot(0).phase = Phase::absent;
    slot(1).phase = Phase::finalized;
    ended_ = {true, true, true, false};
    enter_barrier(2, 5); // killed in there
    EXPECT_THAT(lines(), ElementsAre("PE 0: ended without having called shmem_init", "PE 1: ended",
                                     "PE 2: ended without shmem_finalize", "PE 3: running"));
}

TEST_F(WaitTableTest, says_nothing_where_nobody_uses_the_library) {
    for (int pe = 0; pe < 4; ++pe)
        slot(pe).phase = Phase::absent;
    EXPECT_THAT(lines(), IsEmpty());
    EXPECT_EQ(rows().size(), 4U);
}

/// Each damage by itself.
TEST_F(WaitTableTest, a_wait_that_makes_no_sense_is_called_damaged) {
    WaitView sound = word<std::uint64_t>(8, Comparison::equal, 1);
    std::vector<WaitView> damaged(9, sound);
    std::strcpy(damaged[0].call, "rm -rf \n\033[2J");
    damaged[1].call[0] = 0;
    damaged[2].what = static_cast<WaitsFor>(77);
    damaged[3].comparison = static_cast<Comparison>(6);
    damaged[4].word_bytes = 3;
    damaged[5].position = layout().heap_stride - 7;
    damaged[6].position = kAnyPosition;
    damaged[7].what = WaitsFor::event; // at the position of a word
    damaged[8].what = WaitsFor::pe;
    damaged[8].pe = 4;
    for (const WaitView& view : damaged) {
        std::memset(static_cast<void*>(&slot(0).waits), 0, sizeof(WaitRecords));
        show(0, view);
        EXPECT_THAT(lines(),
                    ElementsAre("PE 0: what it says of itself is damaged: does the program write beyond its "
                                "own memory?",
                                "PE 1-3: running"));
    }
    std::memset(static_cast<void*>(&slot(0).waits), 0, sizeof(WaitRecords));
    show(0, sound);
    EXPECT_THAT(lines()[0], MatchesRegex("PE 0: .* to be == 1; it is 0")) << "so it was the damage";
}

TEST_F(WaitTableTest, slots_full_of_chance_are_survived_with_little_output) {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        for (int pe = 0; pe < 4; ++pe) {
            std::span bytes(reinterpret_cast<unsigned char*>(&slot(pe)), sizeof(PeSlot));
            for (unsigned char& byte : bytes)
                byte = static_cast<unsigned char>(random() % (round % 2 == 0 ? 256 : 3));
            slot(pe).phase = static_cast<Phase>(random() % 7);
        }
        std::vector<std::string> found = lines();
        EXPECT_LE(found.size(), 4U * WaitRecords::kRecords);
        for (const std::string& line : found) {
            EXPECT_LE(line.size(), 400U) << line;
            EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }))
                << line;
        }
    }
}

TEST_F(WaitTableTest, a_header_overwritten_by_a_pe_changes_nothing) {
    enter_barrier(0, 1);
    NodeLayout before = layout(); // which unmapping needs
    pages_.header().n_pes = 1 << 30;
    pages_.header().layout = {~std::uint64_t{0}, ~std::uint64_t{0}};
    EXPECT_THAT(lines(),
                ElementsAre("PE 0: 31 s in shmem_barrier_all, waiting for PE 1-3", "PE 1-3: running"));
    pages_.header().layout = before;
}

} // namespace
} // namespace shm

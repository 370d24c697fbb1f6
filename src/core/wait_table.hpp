// SPDX-License-Identifier: Apache-2.0
// WaitTable: what every PE of a job does at this moment, for people: the launcher and tools print it.
//
// It is read from memory that the PEs write, which may be damaged by the very program that is looked into:
// nothing in it is believed before it is checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "core/job.hpp"

namespace shm {

/// What a PE does. `damaged`: what it says of itself makes no sense.
enum class Doing { starting, running, waiting, finalized, failed, ended, damaged };

/// A PE, or one of its waiting threads.
struct WaitRow {
    int pe = 0;
    Doing doing = Doing::running;
    Phase phase = Phase::absent; // how far it came, also where it has ended
    // Of a wait:
    std::optional<WaitView> wait;
    std::chrono::nanoseconds waited{0};
    std::optional<std::uint64_t> value; // of the word waited for, extended as WaitView::wanted is
    std::vector<int> missing;           // the PEs that have not come to the barrier waited in
    bool one_of_many = false;           // several threads of the PE wait, each with a row
};

class WaitTable {
public:
    using HasEnded = std::function<bool(int pe)>;

    /// Of the job whose control pages and node file these are; both stay open as long as the table.
    WaitTable(ControlPages pages, const File& node_file);

    /// In the order of the PEs. `has_ended` knows whose process is gone.
    std::vector<WaitRow> rows(const HasEnded& has_ended) const;

private:
    WaitRow row_of(int pe, bool has_ended) const;
    void add_waits(std::vector<WaitRow>& rows, const WaitRow& row) const;
    bool is_sound(const WaitView& view) const;
    std::optional<std::uint64_t> file_offset(int pe, const WaitView& view) const;
    std::optional<std::uint64_t> value_of(int pe, const WaitView& view) const;
    std::vector<int> missing_from_barrier(int pe) const;

    ControlPages pages_;
    int descriptor_;
    int n_pes_; // these two as they were at the start: the PEs can write to the header, too
    NodeLayout layout_;
};

/// The rows as lines of text; PEs that do the same share one. Nothing where no PE uses the library.
std::vector<std::string> wait_lines(const std::vector<WaitRow>& rows);

/// The row without its PE: "3 s in shmem_barrier_all, waiting for PE 1".
std::string wait_text(const WaitRow& row);
/// What a waiting row waits for: "PE 1", "a signal of event 3", "the word at 0x... to be >= 4; it is 3".
std::string wanted_text(const WaitRow& row);

// The parts of a row, for structured output.
std::string_view doing_text(Doing doing);                            // one word: "waiting"
std::string_view comparison_text(Comparison how);                    // ">="
std::string number_text(const WaitView& view, std::uint64_t number); // a value of the word that is waited for

/// `raw`, the view's word as it lies in memory, extended to 64 bits.
std::uint64_t extended(const WaitView& view, std::uint64_t raw);

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "core/wait_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

#include <unistd.h>

namespace shm {
namespace {

std::chrono::nanoseconds now() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

/// Whether it can be the name of a function, in whole.
bool is_name(const char* text) {
    std::string_view name(text);
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == ':';
    });
}

bool is_word_size(std::uint32_t bytes) {
    return bytes <= kWatchedBytes && std::has_single_bit(bytes);
}

Doing doing_in(Phase phase) {
    switch (phase) {
    case Phase::absent:
        return Doing::starting;
    case Phase::joined:
    case Phase::running:
        return Doing::running;
    case Phase::exited:
        return Doing::ended;
    case Phase::finalized:
        return Doing::finalized;
    case Phase::failed:
        return Doing::failed;
    }
    return Doing::damaged;
}

} // namespace

std::uint64_t extended(const WaitView& view, std::uint64_t raw) {
    unsigned unused = 64 - 8 * std::clamp<std::uint32_t>(view.word_bytes, 1, 8);
    if (view.is_signed)
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << unused) >> unused);
    return raw << unused >> unused;
}

WaitTable::WaitTable(ControlPages pages, const File& node_file)
    : pages_(pages), descriptor_(node_file.descriptor()), n_pes_(pages.header().n_pes),
      layout_(pages.header().layout) {}

std::vector<WaitRow> WaitTable::rows(const HasEnded& has_ended) const {
    std::vector<WaitRow> rows;
    for (int pe = 0; pe < n_pes_; ++pe) {
        WaitRow row = row_of(pe, has_ended(pe));
        if (row.doing == Doing::running)
            add_waits(rows, row);
        else
            rows.push_back(row);
    }
    return rows;
}

WaitRow WaitTable::row_of(int pe, bool has_ended) const {
    WaitRow row;
    row.pe = pe;
    // acquire: what the PE wrote into its slot before is there.
    row.phase = pages_.slot(pe).phase.load(std::memory_order_acquire);
    row.doing = has_ended ? Doing::ended : doing_in(row.phase);
    return row;
}

/// A row for each wait of a PE, or the one for a PE that runs.
void WaitTable::add_waits(std::vector<WaitRow>& rows, const WaitRow& row) const {
    std::vector<WaitView> views = pages_.slot(row.pe).waits.all();
    if (views.empty())
        rows.push_back(row);
    for (const WaitView& view : views) {
        WaitRow& wait = rows.emplace_back();
        wait.pe = row.pe;
        wait.phase = row.phase;
        wait.one_of_many = views.size() > 1;
        wait.doing = is_sound(view) ? Doing::waiting : Doing::damaged;
        if (wait.doing == Doing::damaged)
            continue;
        wait.wait = view;
        auto waited = now().count() - static_cast<std::int64_t>(view.since);
        wait.waited = std::chrono::nanoseconds(std::max<std::int64_t>(0, waited));
        if (view.what == WaitsFor::word)
            wait.value = value_of(row.pe, view);
        if (view.what == WaitsFor::all_pes)
            wait.missing = missing_from_barrier(row.pe);
    }
}

bool WaitTable::is_sound(const WaitView& view) const {
    if (!is_name(view.call) || view.since > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        return false;
    switch (view.what) {
    case WaitsFor::all_pes:
        return true;
    case WaitsFor::event:
        return EventCounters::id_at(view.position).has_value();
    case WaitsFor::pe:
        return view.pe >= 0 && view.pe < n_pes_;
    case WaitsFor::word:
        return is_word_size(view.word_bytes) && view.comparison <= Comparison::less_equal &&
               file_offset(0, view).has_value();
    case WaitsFor::nothing:
        break;
    }
    return false;
}

/// Where the word that PE `pe` waits for lies in the node file.
std::optional<std::uint64_t> WaitTable::file_offset(int pe, const WaitView& view) const {
    bool is_shared = view.position >= kSharedPosition;
    std::uint64_t offset = is_shared ? view.position - kSharedPosition : view.position;
    if (view.word_bytes > layout_.heap_stride || offset > layout_.heap_stride - view.word_bytes)
        return std::nullopt;
    return (is_shared ? layout_.shared_offset(n_pes_) : layout_.heap_offset(pe)) + offset;
}

std::optional<std::uint64_t> WaitTable::value_of(int pe, const WaitView& view) const {
    static_assert(std::endian::native == std::endian::little);
    std::optional<std::uint64_t> offset = file_offset(pe, view);
    std::uint64_t raw = 0;
    if (!offset || ::pread(descriptor_, &raw, view.word_bytes, static_cast<off_t>(*offset)) !=
                       static_cast<ssize_t>(view.word_bytes))
        return std::nullopt;
    return extended(view, raw);
}

std::vector<int> WaitTable::missing_from_barrier(int pe) const {
    auto rounds = [this](int other) {
        // relaxed: shown to people.
        return pages_.slot(other).barrier_flags.rounds_entered.load(std::memory_order_relaxed);
    };
    std::vector<int> missing;
    for (int other = 0; other < n_pes_; ++other) {
        // A difference, so that the counts may wrap.
        if (static_cast<std::int64_t>(rounds(other) - rounds(pe)) < 0)
            missing.push_back(other);
    }
    return missing;
}

} // namespace shm

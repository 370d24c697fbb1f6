// SPDX-License-Identifier: Apache-2.0
// The wait table in words.
#include <algorithm>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "base/words.hpp"
#include "core/wait_table.hpp"

namespace shm {
namespace {

std::string seconds_text(std::chrono::nanoseconds time) {
    double seconds = std::chrono::duration<double>(time).count();
    return seconds < 10 ? format_text("{:.1f} s", seconds) : format_text("{:.0f} s", seconds);
}

std::string word_text(const WaitView& view) {
    std::string text = format_text("the word at {:#x}", view.address);
    std::uint64_t inside = view.position - view.object_begin;
    if (inside < view.object_bytes)
        text += format_text(" (byte {} of the {} allocated at {:#x})", inside, bytes_text(view.object_bytes),
                            view.address - inside);
    return text;
}

/// What a row says beside its PE and the time.
std::string rest_text(const WaitRow& row) {
    switch (row.doing) {
    case Doing::waiting: {
        std::string thread = row.one_of_many ? format_text(" (thread {})", row.wait->thread) : "";
        return format_text("in {}{}, waiting for {}", row.wait->call, thread, wanted_text(row));
    }
    case Doing::starting:
        return "has not called shmem_init yet";
    case Doing::running:
        return "running";
    case Doing::finalized:
        return "running, after shmem_finalize";
    case Doing::failed:
        return "ending itself after a mistake";
    case Doing::damaged:
        return "what it says of itself is damaged: does the program write beyond its own memory?";
    case Doing::ended:
        break;
    }
    if (row.phase == Phase::absent)
        return "ended without having called shmem_init";
    return row.phase == Phase::finalized ? "ended" : "ended without shmem_finalize";
}

std::string with_time(const WaitRow& row, const std::string& rest, std::chrono::nanoseconds longest) {
    return row.doing == Doing::waiting ? format_text("{} {}", seconds_text(longest), rest) : rest;
}

/// PEs that do the same.
struct Group {
    const WaitRow* first;
    std::string rest;
    std::vector<int> pes;
    std::chrono::nanoseconds longest{0};
};

std::vector<Group> grouped(const std::vector<WaitRow>& rows) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> number_of;
    for (const WaitRow& row : rows) {
        std::string rest = rest_text(row);
        auto [found, is_new] = number_of.emplace(rest, groups.size());
        if (is_new)
            groups.push_back({&row, std::move(rest), {}, {}});
        Group& group = groups[found->second];
        if (group.pes.empty() || group.pes.back() != row.pe)
            group.pes.push_back(row.pe);
        group.longest = std::max(group.longest, row.waited);
    }
    return groups;
}

} // namespace

std::string_view doing_text(Doing doing) {
    switch (doing) {
    case Doing::starting:
        return "starting";
    case Doing::running:
        return "running";
    case Doing::waiting:
        return "waiting";
    case Doing::finalized:
        return "finalized";
    case Doing::failed:
        return "failed";
    case Doing::ended:
        return "ended";
    case Doing::damaged:
        break;
    }
    return "damaged";
}

std::string_view comparison_text(Comparison how) {
    constexpr std::string_view kTexts[] = {"==", "!=", ">", ">=", "<", "<="};
    auto number = static_cast<std::size_t>(how);
    return number < std::size(kTexts) ? kTexts[number] : "?";
}

std::string number_text(const WaitView& view, std::uint64_t number) {
    return view.is_signed ? format_text("{}", static_cast<std::int64_t>(number)) : format_text("{}", number);
}

std::string wanted_text(const WaitRow& row) {
    const WaitView& view = *row.wait;
    switch (view.what) {
    case WaitsFor::all_pes:
        return row.missing.empty() ? "nobody: all PEs have come"
                                   : format_text("PE {}", number_list(row.missing));
    case WaitsFor::event:
        return format_text("a signal of event {}", EventCounters::id_at(view.position).value_or(-1));
    case WaitsFor::pe:
        return format_text("PE {}", view.pe);
    case WaitsFor::word:
        break;
    case WaitsFor::nothing:
        return "nothing";
    }
    return format_text("{} to be {} {}; it is {}", word_text(view), comparison_text(view.comparison),
                       number_text(view, view.wanted),
                       row.value ? number_text(view, *row.value) : "not readable");
}

std::string wait_text(const WaitRow& row) {
    return with_time(row, rest_text(row), row.waited);
}

std::vector<std::string> wait_lines(const std::vector<WaitRow>& rows) {
    std::vector<std::string> lines;
    if (std::all_of(rows.begin(), rows.end(), [](const WaitRow& row) { return row.phase == Phase::absent; }))
        return lines;
    for (const Group& group : grouped(rows))
        lines.push_back(format_text("PE {}: {}", number_list(group.pes),
                                    with_time(*group.first, group.rest, group.longest)));
    return lines;
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "copy_kinds.hpp"
#include "posix/report.hpp"
#include "posix/tuned_search.hpp"

namespace shm::bench {

namespace {

constexpr int kLabelWidth = 31;
constexpr int kCellWidth = 17;
constexpr const char* kColumnTitles[kColumns] = {"POSIX", "POSIX tuned", "SHMEM", "limit"};
constexpr const char* kNothing = "–";

/// Three significant digits, never with an exponent: "0.984", "27.5", "572", "12300".
std::string digits(double value) {
    if (value >= 999.5)
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

std::string duration(double nanoseconds) {
    if (nanoseconds < 999.5)
        return digits(nanoseconds) + " ns";
    if (nanoseconds < 999.5e3)
        return digits(nanoseconds / 1e3) + " µs";
    return digits(nanoseconds / 1e6) + " ms";
}

std::string per_gib(double milliseconds) {
    return digits(milliseconds) + " ms";
}

std::string percent(double share) {
    return fmt::format("{:.0f} %", share * 100);
}

/// "±3% ", four columns wide unless the spread is enormous.
std::string spread(const Samples& samples) {
    return fmt::format("±{:<3}", fmt::format("{:.0f}%", samples.relative_spread() * 100));
}

using Format = std::string (*)(double);

std::string cell(const Samples& samples, Format format) {
    return samples.empty() ? kNothing : format(samples.median()) + " " + spread(samples);
}

void print_line(const std::string& label, const std::vector<std::string>& cells) {
    fmt::print("{:<{}}", label, kLabelWidth);
    for (const std::string& text : cells)
        fmt::print("{:>{}}", text, kCellWidth);
    fmt::print("\n");
}

void print_row(const std::string& label, const Measurements& table, RowId row, Format format) {
    std::vector<std::string> cells;
    for (int column = 0; column < kColumns; ++column)
        cells.push_back(cell(table.at(row, static_cast<ColumnId>(column)), format));
    print_line(label, cells);
}

std::string rule() {
    std::string line;
    for (int at = 0; at < kLabelWidth + kColumns * kCellWidth; ++at)
        line += "─";
    return line;
}

std::string pinning(const std::vector<PeInfo>& pes) {
    const auto pinned = [](const PeInfo& pe) { return pe.usable_cpus == 1; };
    if (std::none_of(pes.begin(), pes.end(), pinned))
        return "PEs not pinned; two that measure are kept on two CPUs meanwhile";
    std::string text;
    for (std::size_t pe = 0; pe < std::min<std::size_t>(pes.size(), 4); ++pe)
        text += fmt::format("{}PE {} {}", pe == 0 ? "" : ", ", pe,
                            pinned(pes[pe]) ? fmt::format("pinned to CPU {}", pes[pe].cpu) : "not pinned");
    return text + (pes.size() > 4 ? ", …" : "");
}

void print_header(const PosixResult& result) {
    const Machine& machine = result.machine;
    const std::size_t pairs = result.pairs.size();
    fmt::print("shmem-bench posix: {} PEs on {}, {} CPUs, {} of memory, {}\n", result.pes.size(),
               machine.cpu_model, machine.cpus, format_bytes(static_cast<double>(machine.memory_bytes)),
               machine.kernel);
    fmt::print("{}; {} round{}{}, the columns in turn\n", pinning(result.pes), result.plan.rounds,
               result.plan.rounds == 1 ? "" : "s",
               pairs > 1 ? fmt::format(" for each of {} pairs", pairs) : std::string());
    if (result.plan.posix && result.table.at(kTransfer, kArticle).empty())
        fmt::print("note: no POSIX column: its segment could not be had\n");
    for (const std::string& remark : result.remarks)
        fmt::print("note: {}\n", remark);
}

/// The row of the large transfer in which the limit stands, too.
void print_transfer(const PosixResult& result) {
    const Measurements& table = result.table;
    const auto bytes = static_cast<double>(result.plan.bytes);
    const BestCopy best = best_copy(table);
    std::vector<std::string> times, bandwidths;
    for (ColumnId column : {kArticle, kTuned, kShmem, kLimit}) {
        const Samples& samples =
            column == kLimit ? table.copy(best.kind, best.target) : table.at(kTransfer, column);
        times.push_back(cell(samples, duration));
        bandwidths.push_back(samples.empty() ? kNothing
                                             : digits(gb_per_s(bytes, samples.median())) + " GB/s     ");
    }
    print_line(fmt::format("transfer of {}", format_bytes(bytes)), times);
    print_line("  bandwidth", bandwidths);
    print_row("  once more, pages mapped", table, kTransferAgain, duration);
}

void print_table(const PosixResult& result) {
    const Measurements& table = result.table;
    fmt::print("\n");
    print_line("", {kColumnTitles, kColumnTitles + kColumns});
    fmt::print("{}\n", rule());
    print_row("allocation + touch, per GiB", table, kAllocation, per_gib);
    print_row("latency of 8 B, one way", table, kLatency8Bytes, duration);
    print_row("latency of 4 KiB, one way", table, kLatency4KiB, duration);
    print_row("latency of 1 MiB, one way", table, kLatency1MiB, duration);
    print_transfer(result);
    print_row("  CPU time of calling thread", table, kCpuThread, percent);
    print_row("  CPU time of its process", table, kCpuProcess, percent);
    print_row("  CPU time of all processes", table, kCpuAll, percent);
    print_line("copies of the data", {"2     ", "2     ", "1     ", "1     "});
    print_line("direct path", {"no     ", "no     ", "yes     ", "–     "});
    print_row("one synchronisation, one way", table, kSynchronisation, duration);
    print_row(fmt::format("barrier of {} PEs", result.pes.size()), table, kBarrier, duration);
    print_row("8-byte put, back to back", table, kPut8Bytes, duration);
    fmt::print("{}\n", rule());
    fmt::print(
        "median ± half the distance between the quartiles; CPU time in shares of the transfer's time\n");
}

void print_bar(const char* title, const Summary::Figure& figure, double longest) {
    constexpr int kBarWidth = 56;
    static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!figure)
        return;
    const int length = static_cast<int>(std::lround(*figure / longest * kBarWidth * 8));
    std::string bar;
    for (int full = 0; full < length / 8; ++full)
        bar += "█";
    bar += eighths[length % 8];
    fmt::print("  {:<12} {:<{}} {:>5} GB/s\n", title, bar, kBarWidth, digits(*figure));
}

void print_bars(const Summary& summary) {
    double longest = 0;
    for (const Summary::Figure& figure :
         {summary.posix_gb_s, summary.tuned_gb_s, summary.shmem_gb_s, summary.copy_limit_gb_s})
        longest = std::max(longest, figure.value_or(0));
    fmt::print("\nbandwidth of the large transfer\n");
    print_bar("POSIX", summary.posix_gb_s, longest);
    print_bar("POSIX tuned", summary.tuned_gb_s, longest);
    print_bar("SHMEM", summary.shmem_gb_s, longest);
    print_bar("copy limit", summary.copy_limit_gb_s, longest);
}

void print_ratio(const char* what, const Summary::Figure& figure) {
    if (figure)
        fmt::print("  {:<58} {:.2f} x\n", what, *figure);
}

void print_ratios(const Summary& summary) {
    fmt::print("\nratios\n");
    print_ratio("bandwidth: SHMEM / POSIX", summary.ratio_posix);
    print_ratio("bandwidth: SHMEM / POSIX, both once more", summary.ratio_posix_again);
    print_ratio("bandwidth: SHMEM once more / POSIX tuned", summary.ratio_posix_tuned);
    print_ratio("bandwidth: SHMEM once more / best single-thread copy", summary.of_copy_limit);
    print_ratio("bandwidth: POSIX tuned / best single-thread copy", summary.tuned_of_copy_limit);
    print_ratio("time: SHMEM event / raw hand-off of a cache line", summary.event_of_hand_off);
    print_ratio("time: SHMEM barrier / raw hand-off of a cache line", summary.barrier_of_hand_off);
}

/// One figure of every pair: row sender, column receiver.
void print_matrix(const PosixResult& result, const char* title,
                  double (*figure)(const PosixResult&, const PairRecord&)) {
    constexpr int kMatrixCell = 7;
    const int n_pes = static_cast<int>(result.pes.size());
    fmt::print("\n{}\n{:>5}", title, "");
    for (int receiver = 1; receiver < n_pes; ++receiver)
        fmt::print("{:>{}}", receiver, kMatrixCell);
    std::size_t next = 0; // the pairs lie in the order of this walk
    for (int sender = 0; sender < n_pes - 1; ++sender) {
        fmt::print("\n{:>4} {:{}}", sender, "", sender * kMatrixCell);
        for (int receiver = sender + 1; receiver < n_pes; ++receiver)
            fmt::print("{:>{}}", digits(figure(result, result.pairs[next++])), kMatrixCell);
    }
    fmt::print("\n");
}

void print_matrices(const PosixResult& result) {
    constexpr std::size_t kMostColumns = 16;
    if (result.pairs.size() == 1)
        return;
    if (result.pes.size() > kMostColumns) {
        fmt::print("\n(too many pairs for a matrix on the screen: --json FILE writes them all)\n");
        return;
    }
    print_matrix(result, "SHMEM, bandwidth from PE (row) to PE (column), GB/s",
                 [](const PosixResult& of, const PairRecord& pair) {
                     return gb_per_s(static_cast<double>(of.plan.bytes),
                                     pair.samples.at(kTransfer, kShmem).median());
                 });
    print_matrix(result, "SHMEM, latency of 8 B between PEs, one way, ns",
                 [](const PosixResult&, const PairRecord& pair) {
                     return pair.samples.at(kLatency8Bytes, kShmem).median();
                 });
}

void print_explanation(const PosixResult& result) {
    const PairOutcome& first = result.pairs.front().outcome;
    const BestCopy best = best_copy(result.table);
    fmt::print("\nwhat was measured\n"
               "  POSIX        one segment of the whole size: copy in, sem_post; sem_wait, copy out\n"
               "               The sender has made and touched it, the receiver has just mapped it. So have\n"
               "               the PEs of SHMEM each other's heaps; once more: with all pages mapped.\n");
    if (first.ring.slots > 0)
        fmt::print("  POSIX tuned  a ring of chunks that both sides work on at once, the best one found:\n"
                   "               {}\n"
                   "               allocation: the ring and the receiver's private memory\n",
                   describe(first.ring));
    fmt::print("  SHMEM        shmem_putmem_signal into the receiver's symmetric heap\n"
               "               allocation: on all PEs at once\n"
               "  limit        best single-thread copy: {}, to {}\n"
               "               and a cache line that the two CPUs hand to and fro\n",
               copy_kinds()[best.kind].name,
               best.target == kToHeap ? "the peer's symmetric heap" : "private memory");
    fmt::print(
        "  The data comes from private memory of the sender; a transfer ends when the receiver has it in\n"
        "  memory of its own. Private memory is what malloc gives. Latencies are half a ping-pong, of data "
        "that stays in the caches.\n"
        "  One synchronisation is a semaphore, a flag, an event, a raw cache line. In a barrier both PEs "
        "store\n"
        "  at the same time and not in turn, so it can take less than a hand-off.\n"
        "  Allocations are timed on memory that was in use just before: a virtual machine's host may take\n"
        "  unused memory back, and giving it again costs several times more than the allocation.\n");
}

void print_hand_off(const PairOutcome& outcome) {
    fmt::print("raw hand-off from PE {} to PE {} before and after: {} and {}\n", outcome.sender,
               outcome.receiver, duration(outcome.hand_off_before), duration(outcome.hand_off_after));
    if (outcome.measured_again)
        fmt::print("note: these are of a second measurement of the latencies; in a first one the hand-off "
                   "had changed\n"
                   "by more than 25 %\n");
    if (outcome.synchronisations_set_aside > 0)
        fmt::print(
            "note: {} of {} samples of a synchronisation set aside: the hand-off was unusual just then\n",
            outcome.synchronisations_set_aside, outcome.synchronisations);
}

/// A thread that only copies should have its CPU to itself, and two that share a ring one each.
void print_disturbance(const Measurements& table) {
    const Samples& copy = table.at(kCpuThread, kLimit);
    const Samples& ring = table.at(kCpuAll, kTuned);
    if (copy.median() < 0.97 || (!ring.empty() && ring.median() < 1.9))
        fmt::print(
            "note: other programs kept the CPUs busy (see the CPU times): the figures are worse than this\n"
            "machine's, those of POSIX tuned most of all, for it needs both CPUs at once\n");
}

void print_checks(const PosixResult& result) {
    long checked = 0, wrong = 0;
    fmt::print("\n");
    for (const PairRecord& pair : result.pairs) {
        const PairOutcome& outcome = pair.outcome;
        checked += outcome.transfers_checked;
        wrong += outcome.transfers_wrong;
        if (outcome.transfers_wrong > 0)
            fmt::print("WRONG DATA from PE {} to PE {}: {} of {} measurements; the first: {}\n",
                       outcome.sender, outcome.receiver, outcome.transfers_wrong, outcome.transfers_checked,
                       outcome.first_wrong);
    }
    if (result.pairs.size() == 1)
        print_hand_off(result.pairs.front().outcome);
    print_disturbance(result.table);
    if (wrong == 0)
        fmt::print("verified: the data of all {} measurements arrived right\n", checked);
}

} // namespace

void print_text(const PosixResult& result) {
    const Summary summary = summarise(result);
    print_header(result);
    print_table(result);
    print_bars(summary);
    print_ratios(summary);
    print_matrices(result);
    print_explanation(result);
    print_checks(result);
    std::fflush(stdout);
}

} // namespace shm::bench

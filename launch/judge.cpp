// SPDX-License-Identifier: Apache-2.0
#include "launch/judge.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string_view>

#include <sys/wait.h>

#include "base/format.hpp"

namespace shm::launch {

std::string how_it_ended(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
        int signal = WTERMSIG(wait_status);
        return format_text("was killed by signal {} ({})", signal, ::strsignal(signal));
    }
    return format_text("exited with status {}", WEXITSTATUS(wait_status));
}

Judge::Judge(ControlPages pages, std::string host)
    : pages_(pages), host_(std::move(host)), n_pes_(pages.header().n_pes),
      ended_(static_cast<std::size_t>(n_pes_), false) {}

std::string Judge::reason_of(int pe, int wait_status) const {
    // A C++ program that does not catch the library's error aborts.
    bool aborted = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGABRT;
    if (phase(pe) != Phase::failed && !aborted)
        return {};
    const char* reason = pages_.slot(pe).failure;
    std::string_view text(reason, ::strnlen(reason, sizeof pages_.slot(pe).failure));
    return text.empty() ? std::string() : format_text(": {}", text);
}

std::optional<Verdict> Judge::end_of(int pe, int wait_status) {
    ended_[static_cast<std::size_t>(pe)] = true;
    in_vain_since_.reset();
    int status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    if (status == 0 && phase(pe) == Phase::failed)
        status = 1; // a shell around the program has dropped its status
    if (status == 0)
        return std::nullopt;
    return Verdict{status, format_text("PE {} on {} {}{}", pe, host_, how_it_ended(wait_status),
                                       reason_of(pe, wait_status))};
}

int Judge::living() const {
    return static_cast<int>(std::count(ended_.begin(), ended_.end(), false));
}

bool Judge::is_suspicious() const {
    return living() > 0 && living() < n_pes_;
}

bool Judge::some_living_joins() const {
    for (int pe = 0; pe < n_pes_; ++pe) {
        if (!has_ended(pe) && phase(pe) == Phase::joined)
            return true;
    }
    return false;
}

bool Judge::waits(int pe) const {
    return !pages_.slot(pe).waits.all().empty();
}

bool Judge::waits_for_all(int pe) const {
    std::vector<WaitView> waits = pages_.slot(pe).waits.all();
    return std::any_of(waits.begin(), waits.end(),
                       [](const WaitView& view) { return view.what == WaitsFor::all_pes; });
}

bool Judge::all_living_wait() const {
    for (int pe = 0; pe < n_pes_; ++pe) {
        if (!has_ended(pe) && !waits(pe))
            return false;
    }
    return true;
}

/// A PE in a barrier that PE `ended` can no longer enter; -1 when there is none.
int Judge::waits_in_vain_for(int ended) const {
    auto rounds = [this](int pe) {
        return pages_.slot(pe).barrier_flags.rounds_entered.load(std::memory_order_relaxed);
    };
    for (int pe = 0; pe < n_pes_; ++pe) {
        if (!has_ended(pe) && waits_for_all(pe) && rounds(pe) > rounds(ended))
            return pe;
    }
    return -1;
}

/// What is wrong at this moment; it is a verdict only if it stays so.
std::optional<Verdict> Judge::complaint() const {
    int joined = 0;
    for (int pe = 0; pe < n_pes_; ++pe)
        joined += phase(pe) != Phase::absent;
    for (int pe = 0; pe < n_pes_; ++pe) {
        if (!has_ended(pe))
            continue;
        if (phase(pe) == Phase::absent && some_living_joins())
            return Verdict{
                1, format_text("{} of {} PEs joined; PE {} on {} exited with status 0 before shmem_init",
                               joined, n_pes_, pe, host_)};
        bool left = phase(pe) == Phase::joined || phase(pe) == Phase::running;
        if (left && all_living_wait())
            return Verdict{1,
                           format_text("PE {} on {} exited with status 0 without shmem_finalize, while all "
                                       "others were waiting",
                                       pe, host_)};
        int waiting = waits_in_vain_for(pe);
        if (phase(pe) == Phase::finalized && waiting >= 0)
            return Verdict{
                1, format_text("PE {} waits for all PEs, but PE {} on {} has called shmem_finalize and "
                               "ended: does PE {} make one collective call more?",
                               waiting, pe, host_, waiting)};
    }
    return std::nullopt;
}

std::optional<Verdict> Judge::look(Clock::time_point now) {
    std::optional<Verdict> verdict = living() > 0 ? complaint() : std::nullopt;
    if (!verdict) {
        in_vain_since_.reset();
        return std::nullopt;
    }
    if (!in_vain_since_)
        in_vain_since_ = now;
    return now - *in_vain_since_ >= kPatience ? verdict : std::nullopt;
}

} // namespace shm::launch

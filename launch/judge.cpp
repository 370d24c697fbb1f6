// SPDX-License-Identifier: Apache-2.0
#include "launch/judge.hpp"

#include <csignal>
#include <cstring>
#include <string_view>

#include <sys/wait.h>

#include "base/format.hpp"

namespace shm::launch {

namespace {

/// As a shell counts: 128 + n for signal n.
int status_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

} // namespace

std::string Judge::reason_of(int pe, int wait_status) const {
    // A wrapper around the program tells of the signal by its status.
    if (status_of(wait_status) == 128 + SIGKILL)
        return memory_kills_.explain();
    if (roster_.phase(pe) != Phase::failed)
        return {};
    const char* reason = roster_.slot(pe).failure;
    std::string_view text(reason, ::strnlen(reason, sizeof roster_.slot(pe).failure));
    return text.empty() ? std::string() : format_text(": {}", text);
}

std::optional<Verdict> Judge::end_of(int pe, pid_t process, int wait_status) {
    in_vain_since_.reset();
    Phase phase = roster_.phase(pe);
    int status = status_of(wait_status);
    if (status == 0 && phase == Phase::failed)
        status = 1; // a shell around the program has dropped its status
    if (status != 0)
        return Verdict{
            status,
            format_text("{} {}{}", roster_.name(pe), how_it_ended(wait_status), reason_of(pe, wait_status)),
            pe};
    bool unfinished = phase == Phase::joined || phase == Phase::running;
    // A wrapper's status says nothing of how the PE itself ended.
    if (unfinished && process != roster_.process(pe))
        return vanished(pe);
    return std::nullopt;
}

Verdict Judge::vanished(int pe) const {
    return Verdict{1,
                   format_text("{} (process {}) ended without shmem_finalize{}", roster_.name(pe),
                               roster_.process(pe), memory_kills_.explain()),
                   pe};
}

bool Judge::has_global_exit() const {
    // acquire: who sees the word may look at what its PE did before.
    return roster_.header().global_exit.load(std::memory_order_acquire) != 0;
}

std::optional<Verdict> Judge::global_exit(Clock::time_point now) {
    auto exit = GlobalExit::from(roster_.header().global_exit.load(std::memory_order_acquire));
    if (!exit || exit->pe >= roster_.n_pes())
        return std::nullopt;
    if (!global_exit_since_)
        global_exit_since_ = now;
    if (!roster_.has_ended(exit->pe) && now - *global_exit_since_ < kExitGrace)
        return std::nullopt;
    int status = exit->status & 0xff; // as exit() has it
    std::string line;
    if (status != 0)
        line = format_text("{} called shmem_global_exit({})", roster_.name(exit->pe), exit->status);
    return Verdict{status, std::move(line), exit->pe};
}

bool Judge::is_suspicious() const {
    if (roster_.living() == 0)
        return false;
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.has_ended(pe) || roster_.has_left(pe))
            return true;
    }
    return false;
}

/// Whether those that could still do something all wait, and there are some.
bool Judge::all_others_wait() const {
    bool some = false;
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.has_ended(pe) || roster_.has_left(pe))
            continue;
        if (!roster_.waits(pe))
            return false;
        some = true;
    }
    return some;
}

/// A PE in a barrier that PE `ended` can no longer enter; -1 when there is none.
int Judge::waits_in_vain_for(int ended) const {
    auto rounds = [this](int pe) {
        return roster_.slot(pe).barrier_flags.rounds_entered.load(std::memory_order_relaxed);
    };
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (!roster_.has_ended(pe) && roster_.waits_for_all(pe) && rounds(pe) > rounds(ended))
            return pe;
    }
    return -1;
}

/// What is wrong at this moment; it is a verdict only if it stays so.
/// A PE in a call of a share domain, one of whose members is gone.
std::optional<Verdict> Judge::waits_for_ended_pe() const {
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.has_ended(pe))
            continue;
        for (const WaitView& view : roster_.slot(pe).waits.all())
            if (view.what == WaitsFor::pe && view.pe >= 0 && view.pe < roster_.n_pes() &&
                roster_.has_ended(view.pe))
                return Verdict{1,
                               format_text("PE {} waits for {}, which has ended without making the same call "
                                           "of their share domain",
                                           pe, roster_.name(view.pe))};
    }
    return std::nullopt;
}

std::optional<Verdict> Judge::complaint() const {
    if (auto verdict = waits_for_ended_pe())
        return verdict;
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.has_left(pe) && all_others_wait())
            return Verdict{1,
                           format_text("{} exited {}without shmem_finalize, while all others were waiting",
                                       roster_.name(pe), roster_.has_ended(pe) ? "with status 0 " : ""),
                           pe};
        int waiting = waits_in_vain_for(pe);
        if (roster_.has_ended(pe) && roster_.phase(pe) == Phase::finalized && waiting >= 0)
            return Verdict{1, format_text("PE {} waits for all PEs, but {} has called shmem_finalize and "
                                          "ended, after fewer collective calls than PE {}",
                                          waiting, roster_.name(pe), waiting)};
    }
    return std::nullopt;
}

std::optional<Verdict> Judge::look(Clock::time_point now) {
    std::optional<Verdict> verdict = roster_.living() > 0 ? complaint() : std::nullopt;
    if (!verdict) {
        in_vain_since_.reset();
        return std::nullopt;
    }
    if (!in_vain_since_)
        in_vain_since_ = now;
    return now - *in_vain_since_ >= kPatience ? verdict : std::nullopt;
}

} // namespace shm::launch

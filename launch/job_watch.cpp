// SPDX-License-Identifier: Apache-2.0
// What a job's launcher looks at from time to time, because nothing tells it.
#include <algorithm>
#include <csignal>

#include <unistd.h>

#include "base/format.hpp"
#include "launch/job.hpp"
#include "launch/processes.hpp"

namespace shm::launch {

void Job::look_around(Clock::time_point now) {
    last_look_ = now;
    if (std::optional<Verdict> verdict = look_at_pes(now))
        end_job(std::move(*verdict), SIGTERM, kShortGrace);
    else if (now >= stalls_.next_look())
        look_for_progress(now);
}

std::optional<Verdict> Job::look_at_pes(Clock::time_point now) {
    std::optional<Verdict> verdict = follow_left_behind();
    if (judge_.has_global_exit())
        return judge_.global_exit(now);
    if (!verdict)
        verdict = follow_wrapped(now);
    if (!verdict)
        verdict = judge_.look(now);
    if (!verdict)
        verdict = arrivals_.look(now, !failures_, judge_.is_suspicious() && has_strangers());
    return verdict;
}

/// The process of PE `pe` when it is alive and not the one that was launched; else 0.
pid_t Job::stray_process(int pe) const {
    pid_t process = roster_.process(pe);
    // The slot is written by the PE: only what is below the launcher may be meant.
    bool is_stray = process > 0 && process != pes_[static_cast<std::size_t>(pe)].process;
    return is_stray && descends_from_caller(process) ? process : 0;
}

std::optional<std::chrono::nanoseconds> Job::cpu_time_used_by(int pe) const {
    const Pe& known = pes_[static_cast<std::size_t>(pe)];
    pid_t own = roster_.process(pe);
    if (own <= 0 || own == known.process)
        return cpu_time_of(known.process);
    return roster_.shares_process_ids(pe) ? cpu_time_of(own) : std::nullopt;
}

/// Finds programs that outlive what was launched: `setsid ./a.out` ends at once.
std::optional<Verdict> Job::follow_left_behind() {
    std::optional<Verdict> first;
    for (Pe& pe : pes_) {
        auto number = static_cast<int>(&pe - pes_.data());
        if (pe.launched || roster_.phase(number) == Phase::absent)
            continue;
        pid_t process = stray_process(number);
        if (process == pe.left_behind || (process == 0 && is_ended_child(pe.left_behind)))
            continue; // reap() will tell how it ended
        pe.left_behind = process;
        if (process != 0) {
            roster_.revive(number);
            continue;
        }
        std::optional<Verdict> verdict = take_end_of(number, 0, 0);
        if (!first)
            first = std::move(verdict);
    }
    return first;
}

/// Finds PEs that died behind a wrapper that does not tell, as in sh -c './a.out; true'.
std::optional<Verdict> Job::follow_wrapped(Clock::time_point now) {
    for (Pe& pe : pes_) {
        auto number = static_cast<int>(&pe - pes_.data());
        pid_t process = roster_.process(number);
        bool is_wrapped = pe.launched && process > 0 && process != pe.process;
        if (!is_wrapped || !roster_.shares_process_ids(number))
            continue;
        bool gone = is_gone(process);
        // Looked at after the process: what it does before it ends is there.
        Phase phase = roster_.phase(number);
        if (!gone || (phase != Phase::joined && phase != Phase::running))
            pe.gone_since.reset();
        else if (!pe.gone_since)
            pe.gone_since = now; // the wrapper may yet tell how the PE ended
        else if (now - *pe.gone_since >= kPatience)
            return judge_.vanished(number);
    }
    return std::nullopt;
}

/// Whether a process below the launcher is none that called shmem_init.
bool Job::is_stranger(pid_t process) const {
    if (process == guard_)
        return false;
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.process(pe) == process)
            return false;
    }
    return true;
}

/// Whether there are processes that nobody knows: a wrapper that has ended may have left a PE behind that has
/// not called shmem_init yet.
bool Job::has_strangers() const {
    std::vector<pid_t> found = children();
    return std::any_of(found.begin(), found.end(),
                       [this](pid_t process) { return !pe_of_.contains(process) && is_stranger(process); });
}

void Job::look_for_progress(Clock::time_point now) {
    StallWatch::Finding finding = stalls_.look(now);
    if (finding == StallWatch::Finding::nothing)
        return;
    std::string text = format_text("no PE has made progress for {:g} s",
                                   std::chrono::duration<double>(stalls_.reached()).count());
    if (finding == StallWatch::Finding::timeout)
        end_by_limit(text + " (SHMEM_TIMEOUT)");
    else
        tell_what_pes_do(text + ":");
}

} // namespace shm::launch

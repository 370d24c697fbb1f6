// SPDX-License-Identifier: Apache-2.0
// How a job ends: signals, failures, the time limit.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "base/format.hpp"
#include "launch/child.hpp"
#include "launch/job.hpp"
#include "launch/output_ends.hpp"
#include "launch/processes.hpp"

namespace shm::launch {

namespace {

constexpr std::chrono::seconds kGrace{2}; // for a program that was told to end
constexpr int kTimeoutStatus = 124;
constexpr int kCannotRunStatus = 126;
constexpr int kNotFoundStatus = 127;

/// What was not found, when a file of that name is there.
std::string hint_for_missing(const std::string& program) {
    if (::access(program.c_str(), F_OK) != 0)
        return {};
    if (program.find('/') != program.npos)
        return " (the interpreter that it names)";
    return format_text(" in PATH; did you mean ./{}?", program);
}

} // namespace

void Job::answer_signals() {
    while (std::optional<int> signal = signals_.next())
        answer(*signal);
}

void Job::answer(int signal) {
    switch (signal) {
    case SIGCHLD:
        reap();
        break;
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
        if (verdict_) { // asked a second time, or already ending: at once
            hurry_ = true;
            kill_all();
        } else {
            end_job(Verdict{128 + signal, ""}, signal, kGrace);
        }
        break;
    case SIGQUIT: // for the launcher alone: who asks does not want to end the PEs
        tell_what_pes_do("what the PEs are doing:");
        break;
    case SIGCONT:
        stalls_.restart(Clock::now());
        arrivals_.restart();
        send(signal);
        break;
    case SIGTSTP:
        stop_with_the_pes();
        break;
    case SIGWINCH:
        for (const Channel& channel : channels_)
            copy_window_size(channel.stream->descriptor(), channel.source.descriptor());
        send(signal);
        break;
    default:
        send(signal);
    }
}

/// The shell sees its job stopped; when it continues the launcher, SIGCONT arrives and is passed on.
void Job::stop_with_the_pes() {
    send(SIGTSTP);
    ::kill(::getpid(), SIGSTOP);
}

void Job::send(int signal) {
    for (const Pe& pe : pes_)
        send_to(pe, signal);
}

void Job::send_to(const Pe& pe, int signal) const {
    // The number of a process group is its own as long as one process is in it.
    pid_t stray = stray_process(static_cast<int>(&pe - pes_.data()));
    bool outside = stray != 0 && ::getpgid(stray) != pe.process;
    if (pe.launched || (stray != 0 && !outside))
        ::kill(-pe.process, signal);
    if (outside)
        ::kill(stray, signal);
}

void Job::read_failures() {
    ChildFailure reason = 0;
    ssize_t count = ::read(failures_.descriptor(), &reason, sizeof reason);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count == sizeof reason) {
        const std::string& program = options_.command.front();
        end_job(Verdict{reason == ENOENT ? kNotFoundStatus : kCannotRunStatus,
                        format_text("cannot run {}: {}{}", program, std::strerror(reason),
                                    reason == ENOENT ? hint_for_missing(program) : "")},
                SIGKILL, kGrace);
        others_ = 0; // none has been started
    }
    failures_ = File();
}

void Job::reap() {
    if (failures_)
        read_failures(); // a child that could not run the program says so before it ends
    EndedProcesses ended;
    int wait_status = 0;
    for (pid_t process; (process = ::waitpid(-1, &wait_status, WNOHANG)) > 0;)
        ended.emplace_back(process, wait_status);
    // A wrapper that ended together with the PE that it left behind comes before it.
    std::stable_partition(ended.begin(), ended.end(),
                          [this](const auto& end) { return pe_of_.contains(end.first); });
    // Of those that ended together, one that crashed is the cause, and one that exited probably a
    // consequence.
    std::optional<Verdict> first;
    bool first_crashed = false;
    for (const auto& [process, status] : ended) {
        std::optional<Verdict> verdict = take_end(process, status, ended);
        if (!verdict || (first && (first_crashed || !WIFSIGNALED(status))))
            continue;
        first = std::move(verdict);
        first_crashed = WIFSIGNALED(status);
    }
    std::optional<Verdict> left = follow_left_behind();
    if (!first)
        first = std::move(left);
    if (judge_.has_global_exit()) // how others end is its consequence
        first = judge_.global_exit(Clock::now());
    if (first)
        end_job(std::move(*first), SIGTERM, kShortGrace);
}

/// The verdict when this was the end of a PE and a failure.
std::optional<Verdict> Job::take_end(pid_t process, int wait_status, const EndedProcesses& together) {
    auto launched = pe_of_.find(process);
    if (launched != pe_of_.end()) {
        int number = launched->second;
        Pe& pe = pes_[static_cast<std::size_t>(number)];
        pe.launched = false;
        pe.ended_at = Clock::now();
        pe_of_.erase(launched);
        pe.left_behind = stray_process(number);
        for (const auto& other : together)
            if (other.first != process && other.first == roster_.process(number))
                pe.left_behind = other.first; // it has ended too, and tells how
        bool goes_on = pe.left_behind != 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
        return goes_on ? std::nullopt : take_end_of(number, process, wait_status);
    }
    for (Pe& pe : pes_) {
        auto number = static_cast<int>(&pe - pes_.data());
        if (pe.launched || roster_.process(number) != process)
            continue;
        pe.left_behind = 0;
        return take_end_of(number, process, wait_status);
    }
    return std::nullopt;
}

std::optional<Verdict> Job::take_end_of(int pe, pid_t process, int wait_status) {
    bool absent = roster_.phase(pe) == Phase::absent;
    pes_[static_cast<std::size_t>(pe)].ended_absent = absent;
    roster_.end(pe, wait_status);
    std::optional<Verdict> verdict = judge_.end_of(pe, process, wait_status);
    if (verdict && absent && roster_.arrived() > 0)
        verdict->line = arrivals_.line(!failures_);
    return verdict;
}

/// Asks all PEs to end, with `signal`, and kills those that still run after `grace`. Only the first verdict
/// counts.
void Job::end_job(Verdict verdict, int signal, Clock::duration grace) {
    if (verdict_)
        return;
    verdict_ = std::move(verdict);
    others_ = roster_.living() - (verdict_->pe >= 0 && !roster_.has_ended(verdict_->pe));
    send(signal);
    send(SIGCONT); // a stopped program ends when it is continued
    kill_at_ = Clock::now() + grace;
}

/// A time limit has passed: the table tells why.
void Job::end_by_limit(std::string_view what_happened) {
    details_ = table();
    int living = roster_.living();
    end_job(Verdict{kTimeoutStatus, format_text("{}; {} {} ended", what_happened, living,
                                                living == 1 ? "PE was" : "PEs were")},
            SIGTERM, kGrace);
    others_ = 0; // named already
}

void Job::kill_all() {
    send(SIGKILL);
    kill_at_.reset();
    killed_ = true;
}

} // namespace shm::launch

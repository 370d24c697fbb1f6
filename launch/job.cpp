// SPDX-License-Identifier: Apache-2.0
// The loop of a job, and its output. How it ends is in job_end.cpp.
#include "launch/job.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "base/format.hpp"
#include "launch/output_ends.hpp"
#include "launch/processes.hpp"

namespace shm::launch {

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kPromptDelay{50};  // an unended line that old is shown on a terminal
constexpr std::chrono::milliseconds kLookInterval{50}; // for what no descriptor tells
constexpr std::chrono::milliseconds kForegroundInterval{500};

std::string host_name() {
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

bool has_children() {
    siginfo_t information;
    return ::waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0;
}

} // namespace

Job::Job(const Options& options, Signals& signals, StartedJob started, ControlPages pages,
         const File& node_file, bool one_output)
    : options_(options), signals_(signals), pages_(pages), judge_(pages, host_name()),
      waits_(pages, node_file), failures_(std::move(started.failures)), input_(std::move(started.input)),
      one_output_(one_output), out_(STDOUT_FILENO, options.n_pes, options.tags),
      error_(STDERR_FILENO, options.n_pes, options.tags), piece_(kPiece) {
    Clock::time_point now = Clock::now();
    for (StartedPe& pe : started.pes) {
        int number = static_cast<int>(pes_.size());
        pes_.push_back(Pe{pe.process, std::move(pe.life_line)});
        pe_of_.emplace(pe.process, number);
        channels_.push_back(Channel{number, std::move(pe.output), &out_, now});
        if (pe.error)
            channels_.push_back(Channel{number, std::move(pe.error), &error_, now});
    }
    if (options.timeout)
        time_limit_ = now + std::chrono::duration_cast<Clock::duration>(*options.timeout);
}

int Job::run() {
    while (!is_over(Clock::now())) {
        wait_for_something();
        handle_ready();
        handle_due(Clock::now());
    }
    end_all_descendants();
    drain();
    tell_verdict();
    flush(out_);
    flush(error_);
    return verdict_ ? verdict_->status : 0;
}

/// A wrapper has ended well, and a program that it left behind may be about to call shmem_init.
bool Job::may_still_join(const Pe& pe, Clock::time_point now) const {
    auto number = static_cast<int>(&pe - pes_.data());
    return !pe.lives() && pages_.slot(number).phase.load(std::memory_order_acquire) == Phase::absent &&
           now - pe.ended_at < Judge::kPatience;
}

bool Job::is_over(Clock::time_point now) const {
    // What has been left behind and killed is reaped with all other descendants.
    auto holds_up = [this](const Pe& pe) { return killed_ ? pe.launched : pe.lives(); };
    if (std::any_of(pes_.begin(), pes_.end(), holds_up))
        return false;
    if (verdict_)
        return true;
    bool may_go_on =
        std::any_of(pes_.begin(), pes_.end(), [&](const Pe& pe) { return may_still_join(pe, now); });
    return !may_go_on || !has_children();
}

bool Job::has_to_look() const {
    // Without living PEs, the job is not over only because a program left behind may still join.
    return !verdict_ &&
           (judge_.is_suspicious() || judge_.living() == 0 ||
            std::any_of(pes_.begin(), pes_.end(), [](const Pe& pe) { return pe.left_behind != 0; }));
}

int Job::milliseconds_to_wait(Clock::time_point now) const {
    std::optional<Clock::time_point> next;
    auto consider = [&next](std::optional<Clock::time_point> time) {
        if (time && (!next || *time < *next))
            next = time;
    };
    consider(kill_at_);
    if (!verdict_)
        consider(time_limit_);
    if (has_to_look())
        consider(now + kLookInterval);
    if (input_.waits_for_foreground())
        consider(now + kForegroundInterval);
    for (const Channel& channel : channels_) {
        if (channel.stream->is_terminal() && channel.stream->relay().holds(channel.pe))
            consider(channel.touched + kPromptDelay);
    }
    if (!next)
        return -1;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, 60'000));
}

void Job::prepare_polls() {
    polls_.assign(first_channel, pollfd{-1, 0, 0});
    polls_[signal_source] = {signals_.descriptor(), POLLIN, 0};
    polls_[start_failures] = {failures_.descriptor(), POLLIN, 0};
    if (out_.wants_to_write())
        polls_[out_stream] = {out_.descriptor(), POLLOUT, 0};
    if (error_.wants_to_write())
        polls_[error_stream] = {error_.descriptor(), POLLOUT, 0};
    polls_[typed_input] = {input_.readable_descriptor(), POLLIN, 0};
    polls_[pe_input] = {input_.writable_descriptor(), POLLOUT, 0};
    for (const Channel& channel : channels_) {
        bool read_on = channel.source && !channel.stream->is_full();
        polls_.push_back({read_on ? channel.source.descriptor() : -1, POLLIN, 0});
    }
}

void Job::wait_for_something() {
    prepare_polls();
    if (::poll(polls_.data(), polls_.size(), milliseconds_to_wait(Clock::now())) < 0)
        std::for_each(polls_.begin(), polls_.end(), [](pollfd& poll) { poll.revents = 0; });
}

void Job::handle_ready() {
    // Output first: what a PE wrote before it failed comes before what is said about it.
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        if (polls_[first_channel + i].revents != 0)
            read_channel(channels_[i]);
    }
    if (polls_[start_failures].revents != 0)
        read_failures();
    if (polls_[signal_source].revents != 0)
        answer_signals();
    if (polls_[typed_input].revents != 0)
        input_.read_some();
    if (polls_[pe_input].revents != 0)
        input_.write_some();
}

void Job::handle_due(Clock::time_point now) {
    if (kill_at_ && now >= *kill_at_)
        kill_all();
    if (time_limit_ && now >= *time_limit_ && !verdict_)
        time_out();
    if (has_to_look()) {
        follow_left_behind();
        if (std::optional<Verdict> verdict = judge_.look(now))
            end_job(std::move(*verdict), SIGTERM, kShortGrace);
    }
    release_idle_lines(now);
    write_stream(out_);
    write_stream(error_);
}

/// Reads one piece; false when there is nothing more for now.
bool Job::read_channel(Channel& channel) {
    ssize_t count = ::read(channel.source.descriptor(), piece_.data(), piece_.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (count > 0) {
        channel.stream->relay().take(channel.pe, {piece_.data(), static_cast<std::size_t>(count)});
        channel.touched = Clock::now();
        return true;
    }
    // The end: a pipe says 0, a pseudo-terminal EIO.
    channel.stream->relay().release(channel.pe);
    channel.source = File();
    return false;
}

void Job::release_idle_lines(Clock::time_point now) {
    for (Channel& channel : channels_) {
        if (channel.stream->is_terminal() && now - channel.touched >= kPromptDelay)
            channel.stream->relay().release(channel.pe);
    }
}

void Job::write_stream(OutputStream& stream) {
    int reason = stream.write_some();
    if (reason == EPIPE)
        end_job(Verdict{128 + SIGPIPE, ""}, SIGTERM, kShortGrace); // as if the signal had ended it: quietly
    else if (reason != 0)
        end_job(Verdict{1, format_text("cannot write output: {}", std::strerror(reason))}, SIGTERM,
                kShortGrace);
}

/// Writes all that is pending, unless the user loses patience.
void Job::flush(OutputStream& stream) {
    for (write_stream(stream); stream.wants_to_write() && !hurry_; write_stream(stream)) {
        pollfd ready[] = {{stream.descriptor(), POLLOUT, 0}, {signals_.descriptor(), POLLIN, 0}};
        ::poll(ready, 2, -1);
        if (ready[1].revents != 0)
            answer_signals();
    }
}

/// All processes have ended: what they left in their pipes is all there will be.
void Job::drain() {
    for (Channel& channel : channels_) {
        while (channel.source && !hurry_ && read_channel(channel)) {
            if (channel.stream->is_full())
                flush(*channel.stream);
        }
        channel.stream->relay().release(channel.pe);
    }
}

void Job::tell_verdict() {
    if (!verdict_ || verdict_->line.empty())
        return;
    std::string others;
    if (others_ > 0)
        others = format_text("; the other {} ended",
                             others_ == 1 ? "PE was" : format_text("{} PEs were", others_));
    Relay& relay = messages().relay();
    relay.say(format_text("shmemrun: {}{}", verdict_->line, others));
    for (const std::string& detail : details_)
        relay.say(format_text("shmemrun:   {}", detail));
}

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// The loop of a job, and its output. What it looks at is in job_watch.cpp, how it ends in job_end.cpp.
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

} // namespace

Job::Job(const JobContext& context, StartedJob started)
    : options_(context.options), signals_(context.signals), guard_(context.guard),
      roster_(context.pages, host_name()), judge_(roster_, memory_kills_),
      arrivals_(roster_, context.settings.start_timeout),
      stalls_(
          roster_, {context.settings.stall_report, context.settings.timeout},
          [this](int pe) { return cpu_time_used_by(pe); },
          [this] { return cpu_time_of_descendants([this](pid_t process) { return is_stranger(process); }); },
          Clock::now()),
      last_look_(Clock::now()), waits_(context.pages, context.node_file),
      failures_(std::move(started.failures)), input_(std::move(started.input)),
      one_output_(context.one_output), out_(STDOUT_FILENO, options_.n_pes, options_.tags),
      error_(STDERR_FILENO, options_.n_pes, options_.tags), piece_(kPiece) {
    Clock::time_point now = Clock::now();
    for (StartedPe& pe : started.pes) {
        int number = static_cast<int>(pes_.size());
        pes_.push_back(Pe{pe.process, std::move(pe.life_line)});
        pe_of_.emplace(pe.process, number);
        channels_.push_back(Channel{number, std::move(pe.output), &out_, now});
        if (pe.error)
            channels_.push_back(Channel{number, std::move(pe.error), &error_, now});
    }
    if (options_.timeout)
        time_limit_ = now + std::chrono::duration_cast<Clock::duration>(*options_.timeout);
}

int Job::run() {
    while (!is_over(Clock::now())) {
        wait_for_something();
        handle_ready();
        handle_due(Clock::now());
    }
    end_all_descendants();
    drain();
    tell_end();
    flush(out_);
    flush(error_);
    return verdict_ ? verdict_->status : 0;
}

/// A wrapper has ended well, and a program that it left behind may be about to call shmem_init.
bool Job::may_go_on(const Pe& pe, Clock::time_point now) const {
    return pe.ended_absent && now - pe.ended_at < kPatience;
}

bool Job::is_over(Clock::time_point now) const {
    // What has been left behind and killed is reaped with all other descendants.
    auto holds_up = [this](const Pe& pe) { return killed_ ? pe.launched : pe.lives(); };
    if (std::any_of(pes_.begin(), pes_.end(), holds_up))
        return false;
    if (verdict_)
        return true;
    bool some_may = std::any_of(pes_.begin(), pes_.end(), [&](const Pe& pe) { return may_go_on(pe, now); });
    return !some_may || !has_child_besides(guard_);
}

bool Job::has_to_look() const {
    // Without living PEs, the job is not over only because a program left behind may still join.
    return !verdict_ &&
           (judge_.is_suspicious() || judge_.has_global_exit() || roster_.living() == 0 ||
            std::any_of(pes_.begin(), pes_.end(), [](const Pe& pe) { return pe.left_behind != 0; }));
}

Clock::time_point Job::next_look() const {
    return has_to_look() ? last_look_ + kLookInterval : stalls_.next_look();
}

int Job::milliseconds_to_wait(Clock::time_point now) const {
    std::optional<Clock::time_point> next;
    auto consider = [&next](std::optional<Clock::time_point> time) {
        if (time && (!next || *time < *next))
            next = time;
    };
    consider(kill_at_);
    if (!verdict_) {
        consider(time_limit_);
        consider(next_look());
    }
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
    if (!verdict_ && time_limit_ && now >= *time_limit_)
        end_by_limit(format_text("the job did not end within {:g} s (--timeout)", options_.timeout->count()));
    if (!verdict_ && now >= next_look())
        look_around(now);
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
    // As if the signal had ended it: quietly. A terminal that is closed may say so before HUP arrives.
    if (reason == EPIPE)
        end_job(Verdict{128 + SIGPIPE, ""}, SIGTERM, kShortGrace);
    else if (reason == EIO && stream.is_terminal())
        end_job(Verdict{128 + SIGHUP, ""}, SIGHUP, kShortGrace);
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

void Job::say(std::string_view line) {
    messages().relay().say(format_text("shmemrun: {}", line));
}

std::vector<std::string> Job::table() const {
    return wait_lines(waits_.rows([this](int pe) { return roster_.has_ended(pe); }));
}

void Job::tell_what_pes_do(std::string_view introduction) {
    std::vector<std::string> lines = table();
    if (lines.empty())
        lines.emplace_back("no PE has called shmem_init");
    say(introduction);
    for (const std::string& line : lines)
        say("  " + line);
}

void Job::tell_end() {
    if (!verdict_) {
        std::vector<int> unfinished;
        for (int pe = 0; pe < roster_.n_pes(); ++pe) {
            if (roster_.has_left(pe))
                unfinished.push_back(pe);
        }
        if (!unfinished.empty())
            say(format_text("warning: {} ended without shmem_finalize: call it last in every PE",
                            name_pes(unfinished)));
        return;
    }
    if (verdict_->line.empty())
        return;
    std::string others;
    if (others_ == roster_.n_pes())
        others = format_text("; {} ended", others_ == 1 ? "the PE was" : format_text("{} PEs were", others_));
    else if (others_ > 0)
        others = format_text("; the other {} ended",
                             others_ == 1 ? "PE was" : format_text("{} PEs were", others_));
    say(verdict_->line + others);
    for (const std::string& detail : details_)
        say("  " + detail);
}

} // namespace shm::launch

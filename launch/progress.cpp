// SPDX-License-Identifier: Apache-2.0
#include "launch/progress.hpp"

#include <algorithm>
#include <utility>

namespace shm::launch {

namespace {

constexpr std::chrono::seconds kLongestInterval{1};
constexpr std::chrono::milliseconds kShortestInterval{10};
constexpr std::chrono::nanoseconds kChargedToIdle = std::chrono::milliseconds(1); // in one look

/// A sleeping thread wakes every 10 ms to look at its word. What it uses is far below this.
std::chrono::nanoseconds most_of_sleepers(std::ptrdiff_t threads, Clock::duration elapsed) {
    constexpr std::chrono::milliseconds kAnyTime{1};
    return threads * (elapsed / 50 + kAnyTime);
}

Clock::duration interval_for(const StallWatch::Limits& limits) {
    Clock::duration interval = kLongestInterval;
    for (Clock::duration limit : {limits.report, limits.timeout}) {
        if (limit != Clock::duration::zero())
            interval = std::min(interval, limit / 4);
    }
    return std::max<Clock::duration>(interval, kShortestInterval);
}

} // namespace

StallWatch::StallWatch(const Roster& roster, Limits limits, CpuTime cpu_time, OthersTime others_time,
                       Clock::time_point now)
    : roster_(roster), limits_(limits), cpu_time_(std::move(cpu_time)), others_time_(std::move(others_time)),
      interval_(interval_for(limits)), looks_(static_cast<std::size_t>(roster.n_pes())), last_look_(now) {
    restart(now);
}

void StallWatch::restart(Clock::time_point now) {
    stalled_since_ = now;
    next_report_ = limits_.report;
}

StallWatch::Look StallWatch::look_at(int pe) const {
    if (roster_.has_ended(pe))
        return Look{.ended = true};
    Look look{false, roster_.phase(pe), {}, cpu_time_(pe)};
    for (int record = 0; record < WaitRecords::kRecords; ++record) {
        if (std::optional<WaitView> view = roster_.slot(pe).waits.read(record))
            look.waits[static_cast<std::size_t>(record)] = view->since;
    }
    return look;
}

bool StallWatch::has_advanced(const Look& before, const Look& now, Clock::duration elapsed) {
    if (now.ended != before.ended || now.phase != before.phase || now.waits != before.waits)
        return true;
    if (now.ended)
        return false;
    std::ptrdiff_t sleepers = WaitRecords::kRecords - std::count(now.waits.begin(), now.waits.end(), 0);
    if (!now.cpu_time || !before.cpu_time)
        return sleepers == 0;
    std::chrono::nanoseconds used = *now.cpu_time - *before.cpu_time;
    // A process that sleeps in the system is charged a little now and then, for interrupts and stolen time.
    return used > (sleepers == 0 ? kChargedToIdle : most_of_sleepers(sleepers, elapsed));
}

bool StallWatch::others_have_advanced(Clock::duration elapsed) {
    std::chrono::nanoseconds now = others_time_();
    std::optional<std::chrono::nanoseconds> before = std::exchange(others_before_, now);
    // Less: one has ended.
    return before && (now < *before || now - *before > most_of_sleepers(1, elapsed));
}

/// Before its PEs use the library, and when none waits in it, what a program does is its own affair.
bool StallWatch::concerns_the_library() const {
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        const Waits& waits = looks_[static_cast<std::size_t>(pe)].waits;
        if (std::any_of(waits.begin(), waits.end(), [](auto since) { return since != 0; }))
            return true;
    }
    return false;
}

StallWatch::Finding StallWatch::look(Clock::time_point now) {
    bool progress = false;
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        Look& before = looks_[static_cast<std::size_t>(pe)];
        Look look = look_at(pe);
        progress = has_advanced(before, look, now - last_look_) || progress;
        before = look;
    }
    Clock::duration elapsed = now - std::exchange(last_look_, now);
    progress = progress || !concerns_the_library();
    if (progress)
        others_before_.reset();
    if (progress || others_have_advanced(elapsed)) {
        restart(now);
        return Finding::nothing;
    }
    Clock::duration stalled = now - stalled_since_;
    if (limits_.timeout != Clock::duration::zero() && stalled >= limits_.timeout) {
        reached_ = limits_.timeout;
        return Finding::timeout;
    }
    if (limits_.report == Clock::duration::zero() || stalled < next_report_)
        return Finding::nothing;
    for (; stalled >= next_report_; next_report_ *= 2)
        reached_ = next_report_;
    return Finding::stall;
}

Clock::time_point StallWatch::next_look() const {
    Clock::time_point next = last_look_ + interval_;
    if (limits_.report != Clock::duration::zero())
        next = std::min(next, stalled_since_ + next_report_);
    if (limits_.timeout != Clock::duration::zero())
        next = std::min(next, stalled_since_ + limits_.timeout);
    return next;
}

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// StallWatch: whether any PE makes progress.
//
// A PE that waits makes progress when it ends the wait or begins another one, or when other threads of it
// compute; one that does not wait, when its process uses CPU time; and any, when it comes to another phase.
// Where none does, what other processes of the job compute counts too: a PE may wait for them.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "launch/roster.hpp"
#include "launch/verdict.hpp"

namespace shm::launch {

class StallWatch {
public:
    /// CPU time that the process of a PE has used; nothing when that is not to be known: then what does not
    /// wait counts as progress.
    using CpuTime = std::function<std::optional<std::chrono::nanoseconds>(int pe)>;

    struct Limits {
        Clock::duration report;  // so long without progress is reported; 0: never
        Clock::duration timeout; // so long ends the job; 0: never
    };

    /// CPU time that all processes of the job that are no PEs have used; may be slow to find out.
    using OthersTime = std::function<std::chrono::nanoseconds()>;

    StallWatch(const Roster& roster, Limits limits, CpuTime cpu_time, OthersTime others_time,
               Clock::time_point now);

    enum class Finding { nothing, stall, timeout };
    /// Looks at all PEs. `stall`: a report is due, at the limit and then whenever the time has doubled.
    Finding look(Clock::time_point now);

    /// When to look again.
    Clock::time_point next_look() const;

    /// How long there has been no progress, as far as reports and the time limit are concerned.
    Clock::duration reached() const { return reached_; }

    /// The PEs were stopped until now.
    void restart(Clock::time_point now);

private:
    using Waits = std::array<std::uint64_t, WaitRecords::kRecords>; // when each began; 0: none

    struct Look {
        bool ended = false;
        Phase phase = Phase::absent;
        Waits waits{};
        std::optional<std::chrono::nanoseconds> cpu_time{};
    };

    Look look_at(int pe) const;
    static bool has_advanced(const Look& before, const Look& now, Clock::duration elapsed);
    bool others_have_advanced(Clock::duration elapsed);
    bool concerns_the_library() const;

    const Roster& roster_;
    Limits limits_;
    CpuTime cpu_time_;
    OthersTime others_time_;
    std::optional<std::chrono::nanoseconds> others_before_; // at the last look, where the PEs made none
    Clock::duration interval_;
    std::vector<Look> looks_;
    Clock::time_point last_look_, stalled_since_;
    Clock::duration next_report_, reached_{};
};

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// Judge: decides whether a job has failed, from how its PEs ended and from what they say in their slots.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/job.hpp"

namespace shm::launch {

using Clock = std::chrono::steady_clock;

/// Why a job ends before all its PEs have ended.
struct Verdict {
    int status;       // of the launcher
    std::string line; // what to tell the user; empty: nothing
};

/// "exited with status 3", "was killed by signal 11 (Segmentation fault)".
std::string how_it_ended(int wait_status);

class Judge {
public:
    /// How long a PE that can never be served waits before the job is given up.
    static constexpr std::chrono::seconds kPatience{1};

    Judge(ControlPages pages, std::string host);

    /// PE `pe` has ended, with a status as wait() gives it: the verdict when that is a failure.
    std::optional<Verdict> end_of(int pe, int wait_status);

    /// PE `pe` lives on in a process that what was launched left behind.
    void revive(int pe) { ended_[static_cast<std::size_t>(pe)] = false; }

    /// Whether PEs have ended, with status 0, that others may be waiting for: then look() wants to be called
    /// again and again.
    bool is_suspicious() const;

    /// The verdict when the PEs that still run have been waiting in vain for kPatience.
    std::optional<Verdict> look(Clock::time_point now);

    int living() const;

    bool has_ended(int pe) const { return ended_[static_cast<std::size_t>(pe)]; }

private:
    Phase phase(int pe) const { return pages_.slot(pe).phase.load(std::memory_order_acquire); }
    bool waits(int pe) const;
    bool waits_for_all(int pe) const;
    bool all_living_wait() const;
    int waits_in_vain_for(int ended) const;
    bool some_living_joins() const;
    std::optional<Verdict> complaint() const;
    std::string reason_of(int pe, int wait_status) const;

    ControlPages pages_;
    std::string host_;
    int n_pes_;
    std::vector<bool> ended_;
    std::optional<Clock::time_point> in_vain_since_;
};

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// Arrivals: whether all PEs find their way into shmem_init, once one is there.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/roster.hpp"
#include "launch/verdict.hpp"

namespace shm::launch {

class Arrivals {
public:
    /// `limit`: how long PEs wait in shmem_init for the others; 0: for ever.
    Arrivals(const Roster& roster, Clock::duration limit) : roster_(roster), limit_(limit) {}

    /// The verdict when a PE cannot arrive any more, or has not within the limit.
    /// `all_started`: what was launched has become the program, on every PE. `strangers`: processes are there
    /// of which it is not known what they do: one may be a PE that a wrapper left behind.
    std::optional<Verdict> look(Clock::time_point now, bool all_started, bool strangers);

    /// The PEs were stopped until now: their time begins anew.
    void restart() { first_arrived_.reset(); }

    /// "2 of 3 PEs arrived in shmem_init, missing PE 2 (exited with status 3 before shmem_init)".
    std::string line(bool all_started) const;

private:
    bool some_living_joins() const;
    bool some_missing_has_ended() const;
    std::string why_missing(int pe, bool all_started) const;

    const Roster& roster_;
    Clock::duration limit_;
    std::optional<Clock::time_point> first_arrived_, in_vain_since_;
};

} // namespace shm::launch

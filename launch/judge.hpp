// SPDX-License-Identifier: Apache-2.0
// Judge: decides whether a job has failed, from how its PEs ended and from what they say in their slots.
#pragma once

#include <optional>
#include <string>

#include "launch/memory_kills.hpp"
#include "launch/roster.hpp"
#include "launch/verdict.hpp"

namespace shm::launch {

class Judge {
public:
    /// How long the PE that called shmem_global_exit has to run its exit handlers.
    static constexpr std::chrono::seconds kExitGrace{2};

    Judge(const Roster& roster, const MemoryKills& memory_kills)
        : roster_(roster), memory_kills_(memory_kills) {}

    /// The end of `process`, the last of PE `pe` (0: one whose status nobody told), with a status as wait()
    /// gives it, when the roster has it: the verdict when that is a failure.
    std::optional<Verdict> end_of(int pe, pid_t process, int wait_status);

    /// For a PE whose process is gone though it had joined, and nobody told how it ended.
    Verdict vanished(int pe) const;

    /// The verdict when a PE has called shmem_global_exit and has ended, or had time enough to.
    std::optional<Verdict> global_exit(Clock::time_point now);
    bool has_global_exit() const;

    /// Whether PEs have left that others may be waiting for: then look() wants to be called again and again.
    bool is_suspicious() const;

    /// The verdict when the PEs that still run have been waiting in vain for kPatience.
    std::optional<Verdict> look(Clock::time_point now);

private:
    bool all_others_wait() const;
    int waits_in_vain_for(int ended) const;
    std::optional<Verdict> waits_for_ended_pe() const;
    std::optional<Verdict> complaint() const;
    std::string reason_of(int pe, int wait_status) const;

    const Roster& roster_;
    const MemoryKills& memory_kills_;
    std::optional<Clock::time_point> in_vain_since_, global_exit_since_;
};

} // namespace shm::launch

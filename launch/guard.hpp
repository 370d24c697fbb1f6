// SPDX-License-Identifier: Apache-2.0
// Guard: a process that outlives a killed launcher just long enough to end what that leaves behind.
//
// The kernel kills each PE's process group with the launcher, and each PE that has called shmem_init; the
// guard ends the rest: programs that left their group and do not use the library, or not yet.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "base/file.hpp"
#include "base/result.hpp"

namespace shm::launch {

class Guard {
public:
    /// Starts the guard of a job, as a child of the caller, before anything else of the job; none where it
    /// could not list processes. It ends with end_all_descendants().
    static Result<Guard> start(std::uint64_t job_id);

    /// 0 where there is none.
    pid_t process() const { return process_; }

private:
    Guard(pid_t process, File life) : process_(process), life_(std::move(life)) {}

    pid_t process_;
    File life_; // write end of a pipe: the guard acts when it closes
};

} // namespace shm::launch

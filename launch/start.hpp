// SPDX-License-Identifier: Apache-2.0
// How all PEs of a job are started: all of them, or none.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "base/file.hpp"
#include "base/result.hpp"
#include "launch/options.hpp"
#include "launch/placement.hpp"

namespace shm::launch {

struct StartedPe {
    pid_t process;
    File life_line; // the PE ends when this closes
    File output;    // read ends, non-blocking
    File error;     // not open where both streams of the PE go through `output`
};

struct StartedJob {
    std::vector<StartedPe> pes;
    File failures; // yields a ChildFailure from each child that cannot become the program, then the end of
                   // file
    File input;    // write end of PE 0's input; not open where PE 0 has the launcher's own
};

/// What the launcher needs for itself, and at most for each PE.
inline constexpr rlim_t kDescriptorsOfLauncher = 24, kDescriptorsOfPe = 3;

struct StartOrder {
    const Options& options;
    const Placement& placement;
    const File& node_file;
    std::uint64_t job_id;
    bool one_output; // the launcher's stdout and stderr are the same: keep each PE's in order
    const sigset_t& signals;
};

/// Forks all PEs and, when that succeeded, lets them become the program. After a failure none has, but
/// children may be left to end.
Result<StartedJob> start_job(const StartOrder& order);

} // namespace shm::launch

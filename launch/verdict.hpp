// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace shm::launch {

using Clock = std::chrono::steady_clock;

/// Why a job ends before all its PEs have ended.
struct Verdict {
    int status;       // of the launcher
    std::string line; // what to tell the user; empty: nothing
    int pe = -1;      // the PE that it is about; -1: none in particular
};

/// How long PEs that can never be served wait before the job is given up: what looks wrong may be a moment's.
inline constexpr std::chrono::seconds kPatience{1};

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// What the user asked the benchmark for.
#pragma once

#include <string>
#include <variant>

#include "posix/posix.hpp"
#include "put/put.hpp"
#include "synchronisation/synchronisation.hpp"

namespace shm::bench {

/// The benchmark to run.
using Options = std::variant<PosixOptions, PutOptions, SynchronisationOptions>;

/// What to print instead of measuring, to stderr when the status is not 0, and the status to end with.
struct Answer {
    int status;
    std::string text;
};

/// Status of a usage error, as in shmemrun.
inline constexpr int kUsageStatus = 2;

/// Prints nothing: every PE has the same arguments, and one is to answer.
std::variant<Options, Answer> parse_options(int argc, char** argv);

} // namespace shm::bench

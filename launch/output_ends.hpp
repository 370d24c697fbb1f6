// SPDX-License-Identifier: Apache-2.0
// The two ends of a PE's output: what the PE writes to and what the launcher reads from.
#pragma once

#include "base/file.hpp"
#include "base/result.hpp"

namespace shm::launch {

struct OutputEnds {
    File ours;   // non-blocking
    File theirs; // both are close-on-exec
};

/// A pseudo-terminal where `like`, the launcher's own stream, is a terminal, so that programs write lines and
/// progress bars as they would to it; else, and where there is none to be had, a pipe.
Result<OutputEnds> open_output_ends(int like);

/// Gives a pseudo-terminal the size of the terminal `like`; does nothing to a pipe.
void copy_window_size(int like, int ours);

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// The contract of a bootstrap: how a process becomes a PE. Each bootstrap offers
//
//     Result<Seat> join();
//
// which finds the process's place in the job and the memory that it shares with the PEs of its node.
#pragma once

#include "base/file.hpp"

namespace shm {

struct Seat {
    int pe = 0;
    File node_file;     // holds the number of PEs and the layout, too
    bool pin = false;   // the launcher gave this PE CPUs of its own: pin the main thread to the first
    bool alone = false; // there is no launcher: this PE is all of its job
};

} // namespace shm

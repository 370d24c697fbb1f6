// SPDX-License-Identifier: Apache-2.0
// How the process of one PE is started.
#pragma once

#include <csignal>

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/result.hpp"

namespace shm::launch {

/// All that a child needs between fork and exec, where it must not allocate memory.
struct ChildPlan {
    char* const* command;     // ends in a null pointer
    char* const* environment; // likewise
    pid_t launcher;
    int input, output, error;  // what becomes its descriptors 0, 1 and 2
    int node_file;             // kept open under the same number
    int life;                  // read end of its life line ...
    int life_number;           // ... and the number that it gets in the child
    int gate;                  // the child waits for one byte from here before it becomes the program
    int failures;              // write end of a close-on-exec pipe for ChildFailure
    const cpu_set_t* share;    // its CPUs, or null
    const rlimit* descriptors; // its limit on descriptors
    const sigset_t* signals;   // its signal mask
};

/// What a child that could not become the program writes to `failures`: errno.
using ChildFailure = int;

/// Forks a child in a process group of its own, which the kernel kills when the launcher ends, in any way.
/// It becomes the program once the launcher has put a byte for it into the gate.
Result<pid_t> start_child(const ChildPlan& plan);

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// The CPUs that this process may really use.
#pragma once

#include <sched.h>

#include "base/cgroup.hpp"
#include "base/result.hpp"

namespace shm {

/// The CPUs in this thread's affinity.
cpu_set_t usable_cpus();

/// How many CPUs' worth of time the control groups allow, rounded up; a large number where there is no quota.
/// The argument names another tree in tests.
int cpu_quota(const Cgroup& cgroup = Cgroup("cpu"));

/// What affinity and quota leave: at least 1.
int usable_cpu_count();

/// Pins the calling thread to the first of its CPUs. Threads that are created later with default attributes
/// get all of them.
Result<void> pin_to_first_cpu();

} // namespace shm

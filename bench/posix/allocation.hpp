// SPDX-License-Identifier: Apache-2.0
// The row "allocation + first touch of the buffer".
#pragma once

#include "posix/job.hpp"
#include "posix/plan.hpp"
#include "posix/record.hpp"
#include "progress.hpp"

namespace shm::bench {

/// Collective. PE 0 gets the samples: of the POSIX ways and of the limit it alone allocates, of SHMEM all PEs
/// do at once, for a symmetric allocation always gives each PE a buffer.
void measure_allocation(const Job& job, const Plan& plan, Measurements& samples, Progress& progress);

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
// How long PEs take to wait for each other, with as many PEs as CPUs or more, and what waiting costs.
#pragma once

namespace shm::bench {

struct SynchronisationOptions {
    int rounds = 7;
};

/// Collective; PE 0 prints. Returns the exit status.
int run_synchronisation(const SynchronisationOptions& options);

} // namespace shm::bench

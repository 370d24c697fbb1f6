// SPDX-License-Identifier: Apache-2.0
// The local bootstrap: PEs of one node, started by shmemrun or by hand.
#pragma once

#include "base/result.hpp"
#include "core/bootstrap.hpp"

namespace shm::local {

/// The seat that the launcher gave this process through the environment; without a launcher the only seat of
/// a new job. From then on the process does not outlive the launcher, however that ends. Half-set or
/// contradictory variables are an error.
Result<Seat> join();

} // namespace shm::local

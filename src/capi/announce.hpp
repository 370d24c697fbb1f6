// SPDX-License-Identifier: Apache-2.0
// What PE 0 says, once per job, before anything starts.
#pragma once

#include "base/settings.hpp"

namespace shm::capi {

/// Warns of variables that look like settings and are none; prints the version and the settings where
/// SHMEM_VERSION and SHMEM_INFO ask for them.
void announce(const Settings& settings);

} // namespace shm::capi

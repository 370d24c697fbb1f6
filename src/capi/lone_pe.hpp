// SPDX-License-Identifier: Apache-2.0
// A job of one PE without a launcher has nobody to tell people that it hangs: it does so itself.
#pragma once

#include "base/settings.hpp"
#include "core/runtime.hpp"

namespace shm::capi {

/// From now on each wait of this PE that lasts SHMEM_STALL_REPORT is printed, again after twice the time and
/// so on, and one that lasts SHMEM_TIMEOUT ends the PE. Called while no thread waits.
void watch_own_waits(Runtime& runtime, const Settings& settings);

} // namespace shm::capi

// SPDX-License-Identifier: Apache-2.0
#include "base/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace shm::asymmetric_fence {
namespace {

long membarrier(int command) {
    return ::syscall(SYS_membarrier, command, 0, 0);
}

} // namespace

bool register_process() {
    return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

void set_all_registered(bool all_registered) {
    detail::all_registered = all_registered;
}

void heavy() {
    // Without membarrier every light() is a full fence, and one here completes the pair.
    if (membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0)
        full_fence();
}

} // namespace shm::asymmetric_fence

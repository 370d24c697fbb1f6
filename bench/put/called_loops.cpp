// SPDX-License-Identifier: Apache-2.0
#define SHMEM_NO_INLINE
#include "put/transfer_loops.hpp"

namespace shm::bench {

const Loops kCalledLoops{put, get};

} // namespace shm::bench

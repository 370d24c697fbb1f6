// SPDX-License-Identifier: Apache-2.0
#include "put/transfer_loops.hpp"

namespace shm::bench {

const Loops kInlineLoops{put, get};

} // namespace shm::bench

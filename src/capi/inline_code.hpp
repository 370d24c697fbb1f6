// SPDX-License-Identifier: Apache-2.0
// What the inline functions of include/shmem/detail/inline.h read in the program.
#pragma once

#include "core/runtime.hpp"

namespace shm::capi {

/// From now on programs put and get small objects of `runtime` without a call, where that is possible. The
/// runtime outlives this.
void allow_inline_code(Runtime& runtime);

/// From now on all of them call the library. Also for a forked child: takes no locks, frees nothing.
void forbid_inline_code();

} // namespace shm::capi

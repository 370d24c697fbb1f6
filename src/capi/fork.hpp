// SPDX-License-Identifier: Apache-2.0
// A forked child has the memory of its parent, the PE, but is not the PE.
#pragma once

namespace shm::capi {

/// From now on a child that this process forks finds the library unusable, and its exit finalizes nothing.
void watch_forks();

/// Whether this process is such a child.
bool is_forked_child();

} // namespace shm::capi

// SPDX-License-Identifier: Apache-2.0
// The processes below the launcher. As a subreaper it becomes the parent of those whose own parent has ended.
#pragma once

#include <sys/types.h>

namespace shm::launch {

/// Whether `process` is alive and a child of the caller, or a child of one of those, and so on. Without /proc
/// only children count; to them belong all whose own parent has ended.
bool descends_from_caller(pid_t process);

/// Kills and reaps every process below the caller, also those that become its children meanwhile.
void end_all_descendants();

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// The processes below the launcher. As a subreaper it becomes the parent of those whose own parent has ended.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace shm::launch {

/// Whether /proc is there and shows the processes by the numbers that they have for the caller.
bool can_list_processes();

/// All processes; none where they cannot be listed.
std::vector<pid_t> all_processes();

/// Living processes whose parent is the caller; none where processes cannot be listed.
std::vector<pid_t> children();

/// Whether the caller has a child, be it one that waits to be reaped, other than `known`, which is 0 where
/// processes cannot be listed.
bool has_child_besides(pid_t known);

/// Whether `process` is alive and a child of the caller, or a child of one of those, and so on. Without /proc
/// only children count; to them belong all whose own parent has ended.
bool descends_from_caller(pid_t process);

/// Whether `process` has ended, or never was.
bool is_gone(pid_t process);

/// Whether `process` is a child of the caller that has ended and waits to be reaped.
bool is_ended_child(pid_t process);

/// CPU time that `process` has used; nothing when it is gone.
std::optional<std::chrono::nanoseconds> cpu_time_of(pid_t process);

/// CPU time that the processes below the caller have used, of those that `counts` selects.
std::chrono::nanoseconds cpu_time_of_descendants(const std::function<bool(pid_t)>& counts);

/// Kills and reaps every process below the caller, also those that become its children meanwhile.
void end_all_descendants();

} // namespace shm::launch

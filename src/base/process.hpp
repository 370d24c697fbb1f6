// SPDX-License-Identifier: Apache-2.0
// What a process knows of itself.
#pragma once

#include <cstdint>

#include <sys/stat.h>

namespace shm {

/// The namespace in which the calling process's id counts; 0 where /proc does not tell.
inline std::uint64_t own_pid_namespace() {
    struct stat status {};
    return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// A file without a name, in memory: what processes share, and what is gone with the last of them.
#pragma once

#include <cstdint>

#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"

namespace shm {

/// An anonymous file of `bytes` bytes, all zero and none taken yet, that nobody can resize and no other user
/// can open. Close-on-exec, and none of the standard descriptors. Where the system refuses memfd_create it is
/// an unnamed file on a tmpfs, which is not sealed and has what room that has; a warning says so.
Result<File> create_anonymous_file(const char* name, std::uint64_t bytes);

/// What the file system of an anonymous file still has room for; the largest number where it has no limit of
/// its own, as for a memfd.
MemoryLimit file_system_room(const File& file);

} // namespace shm

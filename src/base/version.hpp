// SPDX-License-Identifier: Apache-2.0
// The version of the library and its programs.
#pragma once

namespace shm {

extern const char* const kVersion;               // "1.2.3", from the build
inline constexpr char kOpenShmemLevel[] = "1.6"; // the standard that the library is written for

} // namespace shm

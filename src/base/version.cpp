// SPDX-License-Identifier: Apache-2.0
#include "base/version.hpp"

namespace shm {

const char* const kVersion = SHMEM_VERSION_TEXT;

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iterator>

namespace shm::test {

/// How many descriptors this process has open.
inline long open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
}

} // namespace shm::test

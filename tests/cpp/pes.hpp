// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "shmem.hpp"

namespace shm::test {

inline int next_pe() {
    return (shmem::my_pe() + 1) % shmem::n_pes();
}
inline int previous_pe() {
    return (shmem::my_pe() + shmem::n_pes() - 1) % shmem::n_pes();
}

/// A copy, in the form that matchers take.
template <typename T>
std::vector<T> values_of(const shmem::symmetric<T>& array) {
    return {array.begin(), array.end()};
}

} // namespace shm::test

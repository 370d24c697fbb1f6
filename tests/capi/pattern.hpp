// SPDX-License-Identifier: Apache-2.0
// Contents that tell who wrote them, when and where.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shmem.h"

namespace shm::test {

using Bytes = std::vector<unsigned char>;

inline unsigned char pattern_byte(unsigned seed, std::size_t position) {
    return static_cast<unsigned char>((position * 2654435761U + seed * 40503U) >> 13);
}

inline void fill(unsigned char* begin, std::size_t bytes, unsigned seed) {
    for (std::size_t position = 0; position < bytes; ++position)
        begin[position] = pattern_byte(seed, position);
}

inline Bytes pattern(std::size_t bytes, unsigned seed) {
    Bytes result(bytes);
    fill(result.data(), bytes, seed);
    return result;
}

/// How many bytes differ.
inline std::size_t wrong_bytes(const unsigned char* begin, std::size_t bytes, unsigned seed) {
    std::size_t wrong = 0;
    for (std::size_t position = 0; position < bytes; ++position)
        wrong += begin[position] != pattern_byte(seed, position);
    return wrong;
}

inline int next_pe() {
    return (shmem_my_pe() + 1) % shmem_n_pes();
}
inline int previous_pe() {
    return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
}
inline unsigned seed_of(int pe) {
    return static_cast<unsigned>(pe) + 1;
}

} // namespace shm::test

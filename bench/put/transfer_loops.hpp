// SPDX-License-Identifier: Apache-2.0
// Puts and gets in the way that the including file has chosen.
#pragma once

#include "put/loops.hpp"
#include "shmem.h"

namespace shm::bench {
namespace {

void put(std::uint64_t* window, int pe, std::uint64_t seed) {
    put_passes(seed, [=](std::size_t index, std::uint64_t value) {
        shmem_putmem(&window[index], &value, sizeof value, pe);
    });
}

std::uint64_t get(std::uint64_t* window, int pe) {
    return get_passes([=](std::size_t index) {
        std::uint64_t value;
        shmem_getmem(&value, &window[index], sizeof value, pe);
        return value;
    });
}

} // namespace
} // namespace shm::bench

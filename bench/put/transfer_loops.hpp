// SPDX-License-Identifier: Apache-2.0
// Puts and gets in the way that the including file has chosen.
#pragma once

#include "put/loops.hpp"
#include "shmem.hpp"

namespace shm::bench {
namespace {

void put(std::uint64_t* window, int pe, std::uint64_t seed) {
    put_passes(seed, [=](std::size_t index, std::uint64_t value) { shmem::put(&window[index], value, pe); });
}

std::uint64_t get(std::uint64_t* window, int pe) {
    return get_passes([=](std::size_t index) { return shmem::get(&window[index], pe); });
}

} // namespace
} // namespace shm::bench

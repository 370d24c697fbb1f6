// SPDX-License-Identifier: Apache-2.0
#include "put/loops.hpp"

namespace shm::bench {

namespace {

// volatile: none is left out, and none joined with its neighbour.
void put(std::uint64_t* window, int, std::uint64_t seed) {
    volatile std::uint64_t* words = window;
    put_passes(seed, [=](std::size_t index, std::uint64_t value) { words[index] = value; });
}

std::uint64_t get(std::uint64_t* window, int) {
    const volatile std::uint64_t* words = window;
    return get_passes([=](std::size_t index) { return words[index]; });
}

} // namespace

const Loops kBareLoops{put, get};

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
// The measured loops: word after word of a window, again and again. Each is unrolled alike, so that little of
// what is measured is the loop's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure/pattern.hpp"

namespace shm::bench {

inline constexpr std::size_t kWindowWords = 512; // 4 KiB
inline constexpr std::uint64_t kPasses = 20'000; // about 5 ms for the fastest

struct Loops {
    /// Puts the pattern of seed, seed + 1, ... seed + kPasses - 1 into the window of PE `pe`.
    void (*put)(std::uint64_t* window, int pe, std::uint64_t seed);
    /// Gets the window as often, and returns the sum of all words.
    std::uint64_t (*get)(std::uint64_t* window, int pe);
};

extern const Loops kInlineLoops; // as programs have it
extern const Loops kCalledLoops; // with SHMEM_NO_INLINE
extern const Loops kBareLoops;   // of stores and loads: `window` is where this process reaches the peer's

template <typename Put>
void put_passes(std::uint64_t seed, Put put) {
    for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
        std::uint64_t value = seed + pass;
#pragma GCC unroll 8
        for (std::size_t index = 0; index < kWindowWords; ++index, value += kPatternStep)
            put(index, value);
    }
}

template <typename Get>
std::uint64_t get_passes(Get get) {
    std::uint64_t sum = 0;
    for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
#pragma GCC unroll 8
        for (std::size_t index = 0; index < kWindowWords; ++index)
            sum += get(index);
    }
    return sum;
}

} // namespace shm::bench

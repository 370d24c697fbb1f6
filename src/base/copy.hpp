// SPDX-License-Identifier: Apache-2.0
// copy: the one place that moves bytes by the CPU. Small sizes are inline; copy.cpp chooses the way for the
// others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shm {

namespace copy_detail {

struct Block16 {
    std::uint64_t words[2];
};

template <typename Unit>
inline void move_once(std::byte* dest, const std::byte* source) noexcept {
    Unit unit;
    __builtin_memcpy(&unit, source, sizeof unit);
    __builtin_memcpy(dest, &unit, sizeof unit);
}

/// Moves sizeof(Unit) to 2 * sizeof(Unit) bytes: the first unit and the last, which may overlap.
template <typename Unit>
inline void move_both_ends(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept {
    Unit first, last;
    __builtin_memcpy(&first, source, sizeof first);
    __builtin_memcpy(&last, source + bytes - sizeof last, sizeof last);
    __builtin_memcpy(dest, &first, sizeof first);
    __builtin_memcpy(dest + bytes - sizeof last, &last, sizeof last);
}

inline void copy_up_to_16(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept {
    if (bytes > 8)
        move_both_ends<std::uint64_t>(dest, source, bytes);
    else if (bytes > 4)
        move_both_ends<std::uint32_t>(dest, source, bytes);
    else if (bytes == 4)
        move_once<std::uint32_t>(dest, source);
    else if (bytes > 1) {
        move_once<std::uint16_t>(dest, source);
        if (bytes == 3)
            move_once<std::uint8_t>(dest + 2, source + 2);
    } else if (bytes == 1)
        move_once<std::uint8_t>(dest, source);
}

/// Moves 33 to 128 bytes.
inline void copy_up_to_128(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept {
    if (bytes > 64) {
        move_both_ends<Block16>(dest + 32, source + 32, 32);
        move_both_ends<Block16>(dest + bytes - 64, source + bytes - 64, 32);
    }
    move_both_ends<Block16>(dest, source, 32);
    move_both_ends<Block16>(dest + bytes - 32, source + bytes - 32, 32);
}

/// Moves more than 128 bytes, in the way that is fastest here for so many.
void copy_large(void* dest, const void* source, std::size_t bytes) noexcept;

} // namespace copy_detail

/// Copies `bytes` bytes from `source` to `dest`, of any alignment. The ranges must not overlap, except that
/// both may be the same address. Copies of 1, 2, 4 and 8 bytes are one load and one store each, so a
/// naturally aligned one is seen whole or not at all, and written once; other sizes may write some bytes
/// twice, in any order. All bytes are written before any store with release order that the calling thread
/// makes afterwards.
inline void copy(void* dest, const void* source, std::size_t bytes) noexcept {
    auto* to = static_cast<std::byte*>(dest);
    auto* from = static_cast<const std::byte*>(source);
    if (bytes == 8) // the size of a flag, first
        copy_detail::move_once<std::uint64_t>(to, from);
    else if (bytes <= 16)
        copy_detail::copy_up_to_16(to, from, bytes);
    else if (bytes <= 32)
        copy_detail::move_both_ends<copy_detail::Block16>(to, from, bytes);
    else if (bytes <= 128)
        copy_detail::copy_up_to_128(to, from, bytes);
    else
        copy_detail::copy_large(dest, source, bytes);
}

} // namespace shm

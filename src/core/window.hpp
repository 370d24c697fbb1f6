// SPDX-License-Identifier: Apache-2.0
// The window: one range of addresses, the same in every PE of a node, that holds
//
//     own heap | heap of PE 0 | heap of PE 1 | ... | region of shared buffers
//
// The first part maps the PE's own heap, so that a symmetric object has one address on all PEs; the others
// map every heap and the shared buffers, so that an address in them means the same object to all PEs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "core/barrier.hpp"

namespace shm {

#if defined(__SANITIZE_THREAD__)
// The only large range that ThreadSanitizer leaves to programs; it kills a process that maps elsewhere.
inline constexpr std::uintptr_t kWindowBase = 0x7e8000000000;
inline constexpr std::uint64_t kLargestWindow = std::uint64_t{256} << 30;
#else
// Above AddressSanitizer's shadow, below where executables and libraries are loaded.
inline constexpr std::uintptr_t kWindowBase = 0x110000000000;
inline constexpr std::uint64_t kLargestWindow = std::uint64_t{64} << 40;
#endif

/// Of every window, in each process: no symmetric object can be aligned to more.
inline constexpr std::uint64_t kWindowAlignment = std::uint64_t{1} << 30;
static_assert(kWindowBase % kWindowAlignment == 0);

/// How many heaps fill a node's window; the region of shared buffers has the size of one.
constexpr std::uint64_t window_parts(int n_pes) {
    return static_cast<std::uint64_t>(n_pes) + 2;
}
/// The size of a node's window whose heaps have `stride` bytes each.
constexpr std::uint64_t window_bytes(std::uint64_t stride, int n_pes) {
    return stride * window_parts(n_pes);
}

struct Window {
    std::byte* begin;
    bool common; // at the same addresses in all PEs of the node
};

/// Reserves addresses for the window that are free in every PE of the node; where there are none, any.
/// Collective over the PEs of `vote`.
Result<Window> agree_on_window(std::uint64_t bytes, Vote& vote);

} // namespace shm

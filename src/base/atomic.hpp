// SPDX-License-Identifier: Apache-2.0
// The few things that the protocols need beside std::atomic.
#pragma once

#include <atomic>

namespace shm {

/// Tells the core that this is a spin loop.
inline void cpu_relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield" ::: "memory");
#endif
}

/// Keeps the compiler, and nothing else, from moving memory accesses across.
inline void compiler_fence() {
    asm volatile("" ::: "memory");
}

/// Orders all earlier accesses of this thread before all later ones, stores before loads too. This is the one
/// place for a stand-alone fence: ThreadSanitizer does not understand fences, so there it is an operation on
/// a word that every thread shares, which orders at least as much.
inline void full_fence() {
#if defined(__SANITIZE_THREAD__)
    static std::atomic<int> meeting_point;
    meeting_point.fetch_add(0, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Orders earlier loads and stores of this thread before its later stores.
inline void release_fence() {
#if defined(__SANITIZE_THREAD__)
    full_fence();
#else
    std::atomic_thread_fence(std::memory_order_release);
#endif
}

} // namespace shm

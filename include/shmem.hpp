// SPDX-License-Identifier: Apache-2.0
// The C++ face: one-sided shared memory between processing elements (PEs).
//
//     shmem::init();
//     auto numbers = shmem::symmetric<double>(1000);          // on every PE
//     shmem::put(&numbers[0], 3.14, (shmem::my_pe() + 1) % shmem::n_pes());
//     shmem::barrier_all();
//     shmem::finalize();
//
// Argument mistakes and a lack of memory throw shmem::Error. What a function guarantees beyond that stands at
// its namesake in shmem.h. The C functions may be used beside it.
#pragma once

#if __cplusplus < 202002L
#error "shmem.hpp needs C++20: compile with -std=c++20 (shmem.h works with older C++)"
#endif

#include <cstddef>
#include <cstdint>

#include "shmem.h"
#include "shmem/detail/buffer.hpp"
#include "shmem/detail/error.hpp"
#include "shmem/detail/event.hpp"
#include "shmem/detail/transfer.hpp"
#include "shmemx.h"

namespace shmem {

/// Sizes in bytes. _KB and _KiB alike are powers of 1024, as memory sizes are.
inline namespace literals {

// clang-format off
constexpr std::size_t operator""_KB(unsigned long long count) { return static_cast<std::size_t>(count) << 10; }
constexpr std::size_t operator""_MB(unsigned long long count) { return static_cast<std::size_t>(count) << 20; }
constexpr std::size_t operator""_GB(unsigned long long count) { return static_cast<std::size_t>(count) << 30; }
constexpr std::size_t operator""_KiB(unsigned long long count) { return static_cast<std::size_t>(count) << 10; }
constexpr std::size_t operator""_MiB(unsigned long long count) { return static_cast<std::size_t>(count) << 20; }
constexpr std::size_t operator""_GiB(unsigned long long count) { return static_cast<std::size_t>(count) << 30; }
// clang-format on

} // namespace literals

/// Joins the job; collective. Each call needs its finalize(). [shmem_init]
inline void init() {
    detail::check(shmemx_checked_init(), "shmem::init");
}

/// Leaves the job; collective. Symmetric memory is gone afterwards. [shmem_finalize]
inline void finalize() {
    detail::check(shmemx_checked_finalize(), "shmem::finalize");
}

/// Ends the job with `status`, through exit() in this PE. [shmem_global_exit]
[[noreturn]] inline void global_exit(int status) {
    detail::check(shmemx_checked_global_exit(status), "shmem::global_exit");
    __builtin_unreachable(); // without a mistake, it does not return
}

/// The number of this PE. [shmem_my_pe]
inline int my_pe() {
    int pe = 0;
    detail::check(shmemx_checked_my_pe(&pe), "shmem::my_pe");
    return pe;
}

/// How many PEs the job has. [shmem_n_pes]
inline int n_pes() {
    int pes = 0;
    detail::check(shmemx_checked_n_pes(&pes), "shmem::n_pes");
    return pes;
}

/// Where this PE can load and store the object `dest` of PE `pe`; null when it cannot. [shmem_ptr]
template <typename T>
T* ptr(T* dest, int pe) {
    void* there = nullptr;
    detail::check(shmemx_checked_ptr(dest, pe, &there), "shmem::ptr");
    return static_cast<T*>(there);
}

/// Orders this PE's earlier puts, to each PE, before its later ones. [shmem_fence]
inline void fence() {
    detail::check(shmemx_checked_fence(), "shmem::fence");
}

/// Completes this PE's puts: they are visible to every PE on return. [shmem_quiet]
inline void quiet() {
    detail::check(shmemx_checked_quiet(), "shmem::quiet");
}

/// Waits for all PEs; completes this PE's puts first. [shmem_barrier_all]
inline void barrier_all() {
    detail::check(shmemx_checked_barrier_all(), "shmem::barrier_all");
}

/// Waits for all PEs. [shmem_sync_all]
inline void sync_all() {
    detail::check(shmemx_checked_sync_all(), "shmem::sync_all");
}

/// The signal word of this PE, with the data that came with it. [shmem_signal_fetch]
inline std::uint64_t signal_fetch(const std::uint64_t* sig_addr) {
    std::uint64_t value = 0;
    detail::check(shmemx_checked_signal_fetch(sig_addr, &value), "shmem::signal_fetch");
    return value;
}

/// Waits until the signal word of this PE compares with `value` as `cmp` (SHMEM_CMP_...) says, and returns
/// what satisfied it. [shmem_signal_wait_until]
inline std::uint64_t signal_wait_until(std::uint64_t* sig_addr, int cmp, std::uint64_t value) {
    std::uint64_t satisfied = 0;
    detail::check(shmemx_checked_signal_wait_until(sig_addr, cmp, value, &satisfied),
                  "shmem::signal_wait_until");
    return satisfied;
}

} // namespace shmem

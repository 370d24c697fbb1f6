// SPDX-License-Identifier: Apache-2.0
// Puts and gets of bytes, ranges and single values. `dest` of a put and `source` of a get are symmetric and
// name the object of PE `pe`; the other side is any memory of this PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>

#include "shmem/detail/error.hpp"
#include "shmem/detail/inline.h"

namespace shmem {

/// Contiguous plain data: a span, a vector, an array, a symmetric<T>.
template <typename Range>
concept Elements = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

namespace detail {

/// The bytes of `source`, which `dest` must have room for.
template <Elements Dest, Elements Source>
std::size_t bytes_of(const Dest& dest, const Source& source, const char* function) {
    using Value = std::ranges::range_value_t<Source>;
    static_assert(std::is_same_v<std::ranges::range_value_t<Dest>, Value>, "both sides have the same type");
    if (std::ranges::size(source) > std::ranges::size(dest))
        throw Error({function, "source has " + std::to_string(std::ranges::size(source)) +
                                   " elements, dest has room for " +
                                   std::to_string(std::ranges::size(dest))});
    return std::ranges::size(source) * sizeof(Value);
}

} // namespace detail

/// Copies `bytes` bytes to PE `pe`. On return `source` may be reused; the data is visible there after
/// quiet(), a barrier or, in order with later puts, fence(). [shmem_put]
inline void put(void* dest, const void* source, std::size_t bytes, int pe) {
    detail::check(shmemx_checked_put(dest, source, bytes, pe), "shmem::put");
}

/// Copies `bytes` bytes from PE `pe`. [shmem_get]
inline void get(void* dest, const void* source, std::size_t bytes, int pe) {
    detail::check(shmemx_checked_get(dest, source, bytes, pe), "shmem::get");
}

/// As put() and get(); complete only after quiet(). [shmem_put_nbi, shmem_get_nbi]
inline void put_nbi(void* dest, const void* source, std::size_t bytes, int pe) {
    detail::check(shmemx_checked_put_nbi(dest, source, bytes, pe), "shmem::put_nbi");
}
inline void get_nbi(void* dest, const void* source, std::size_t bytes, int pe) {
    detail::check(shmemx_checked_get_nbi(dest, source, bytes, pe), "shmem::get_nbi");
}

/// All elements of `source` to the beginning of `dest` on PE `pe`.
template <Elements Dest, Elements Source>
void put(const Dest& dest, const Source& source, int pe) {
    std::size_t bytes = detail::bytes_of(dest, source, "shmem::put");
    put(const_cast<void*>(static_cast<const void*>(std::ranges::data(dest))), std::ranges::data(source),
        bytes, pe);
}

/// All elements of `source` on PE `pe` to the beginning of `dest`.
template <Elements Dest, Elements Source>
void get(Dest&& dest, const Source& source, int pe) {
    std::size_t bytes = detail::bytes_of(dest, source, "shmem::get");
    get(static_cast<void*>(std::ranges::data(dest)), std::ranges::data(source), bytes, pe);
}

namespace detail {

// With values of their own, so that those of the inline way need not lie in memory.
template <typename T>
[[gnu::noinline, gnu::cold]] void put_value(T* dest, T value, int pe) {
    put(static_cast<void*>(dest), std::addressof(value), sizeof(T), pe);
}
template <typename T>
[[gnu::noinline, gnu::cold]] T get_value(const T* source, int pe) {
    T value;
    get(static_cast<void*>(std::addressof(value)), source, sizeof(T), pe);
    return value;
}

} // namespace detail

/// One value to PE `pe`. [shmem_p]
template <typename T>
requires std::is_trivially_copyable_v<T>
void put(T* dest, const std::type_identity_t<T>& value, int pe) {
    if (!shmemx_fast_put(dest, std::addressof(value), sizeof(T), pe)) [[unlikely]]
        detail::put_value<T>(dest, value, pe);
}

/// One value from PE `pe`. [shmem_g]
template <typename T>
requires std::is_trivially_copyable_v<T> T get(const T* source, int pe) {
    std::remove_cv_t<T> value;
    if (shmemx_fast_get(std::addressof(value), source, sizeof(T), pe)) [[likely]]
        return value;
    return detail::get_value<std::remove_cv_t<T>>(source, pe);
}

/// put(), then an update of the signal word `sig_addr` on PE `pe`: SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD. Who
/// sees the signal sees this call's data. [shmem_put_signal]
inline void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* sig_addr,
                       std::uint64_t signal, int sig_op, int pe) {
    detail::check(shmemx_checked_put_signal(dest, source, bytes, sig_addr, signal, sig_op, pe),
                  "shmem::put_signal");
}
template <Elements Dest, Elements Source>
void put_signal(const Dest& dest, const Source& source, std::uint64_t* sig_addr, std::uint64_t signal,
                int sig_op, int pe) {
    std::size_t bytes = detail::bytes_of(dest, source, "shmem::put_signal");
    put_signal(const_cast<void*>(static_cast<const void*>(std::ranges::data(dest))),
               std::ranges::data(source), bytes, sig_addr, signal, sig_op, pe);
}

} // namespace shmem

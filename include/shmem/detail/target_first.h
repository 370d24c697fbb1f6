/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shmem_put(target_pe, local, remote, bytes) and shmem_get(target_pe, local, remote, bytes): the form that
 * names the target first. An integer as first argument selects it: in C through _Generic, in C++ as an
 * overload. (Mind the order: the standard's shmem_put(dest, source, nelems, pe), which is not here yet,
 * counts elements and names the target last.) `local` is any memory of this PE, `remote` a symmetric address;
 * otherwise as shmem_putmem and shmem_getmem.
 */
#ifndef SHMEM_DETAIL_TARGET_FIRST_H
#define SHMEM_DETAIL_TARGET_FIRST_H

#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>

extern "C" {
#endif

#pragma GCC visibility push(default)

void shmemx_put_to(long long target_pe, const void* local, void* remote, size_t bytes);
void shmemx_get_from(long long target_pe, void* local, const void* remote, size_t bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
} /* extern "C" */

template <typename Pe>
inline typename std::enable_if<std::is_integral<Pe>::value>::type shmem_put(Pe target_pe, const void* local,
                                                                            void* remote, size_t bytes) {
    shmemx_put_to(static_cast<long long>(target_pe), local, remote, bytes);
}

template <typename Pe>
inline typename std::enable_if<std::is_integral<Pe>::value>::type
shmem_get(Pe target_pe, void* local, const void* remote, size_t bytes) {
    shmemx_get_from(static_cast<long long>(target_pe), local, remote, bytes);
}

#else

/* clang-format off */
#define SHMEM_DETAIL_FOR_INTEGERS(function)                                                                   \
    _Bool: function, char: function, signed char: function, unsigned char: function,                          \
    short: function, unsigned short: function, int: function, unsigned int: function,                         \
    long: function, unsigned long: function, long long: function, unsigned long long: function
/* clang-format on */

#define shmem_put(first, ...) _Generic((first), SHMEM_DETAIL_FOR_INTEGERS(shmemx_put_to))(first, __VA_ARGS__)
#define shmem_get(first, ...)                                                                                \
    _Generic((first), SHMEM_DETAIL_FOR_INTEGERS(shmemx_get_from))(first, __VA_ARGS__)

#endif

#endif /* SHMEM_DETAIL_TARGET_FIRST_H */

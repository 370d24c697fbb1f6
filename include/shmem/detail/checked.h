/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions under the C++ face: each does what its namesake in shmem.h or shmemx.h does, but hands a
 * mistake to its caller instead of ending the PE. They return 0, or non-zero; then shmemx_error_reason tells
 * this thread's reasons, the outermost at depth 0, NULL behind the last.
 */
#ifndef SHMEM_DETAIL_CHECKED_H
#define SHMEM_DETAIL_CHECKED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

const char* shmemx_error_reason(size_t depth);

int shmemx_checked_init(void);
int shmemx_checked_finalize(void);
int shmemx_checked_global_exit(int status); /* returns only after a mistake */
int shmemx_checked_initialized(void);       /* the number of this initialisation, 1 at first; 0 outside one */
int shmemx_checked_my_pe(int* my_pe);
int shmemx_checked_n_pes(int* n_pes);
int shmemx_checked_malloc(size_t size, void** object);
int shmemx_checked_calloc(size_t count, size_t size, void** object);
int shmemx_checked_free(void* object);
int shmemx_checked_alloc_shared(size_t bytes, const int* pes, int n, void** object);
int shmemx_checked_free_shared(void* object);
int shmemx_checked_ptr(const void* dest, int pe, void** there);
int shmemx_checked_put(void* dest, const void* source, size_t bytes, int pe);
int shmemx_checked_get(void* dest, const void* source, size_t bytes, int pe);
int shmemx_checked_put_nbi(void* dest, const void* source, size_t bytes, int pe);
int shmemx_checked_get_nbi(void* dest, const void* source, size_t bytes, int pe);
int shmemx_checked_put_signal(void* dest, const void* source, size_t bytes, uint64_t* sig_addr,
                              uint64_t signal, int sig_op, int pe);
int shmemx_checked_signal_fetch(const uint64_t* sig_addr, uint64_t* value);
int shmemx_checked_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value, uint64_t* value);
int shmemx_checked_fence(void);
int shmemx_checked_quiet(void);
int shmemx_checked_barrier_all(void);
int shmemx_checked_sync_all(void);
int shmemx_checked_signal_event(int id, int pe);
int shmemx_checked_signal_event_all(int id);
int shmemx_checked_wait_event(int id);

#pragma GCC visibility pop

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SHMEM_DETAIL_CHECKED_H */

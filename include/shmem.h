/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSHMEM for C and C++: one-sided shared memory between processing elements (PEs).
 *
 * Argument mistakes (a PE out of range, an address that is not symmetric, ...) print the function, the
 * argument, its value, the calling PE and the remedy, and end the job. The section names in brackets are
 * those of the OpenSHMEM 1.6 specification.
 *
 * Transfers, signals and waits may be called by several threads of a PE at a time; set-up, memory and
 * barriers, which are collective, by one.
 */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6

/* Comparisons of the waits. [Point-to-Point Synchronization] */
#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_GE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_LE 6

/* How a signal is updated. [Signaling Operations] */
#define SHMEM_SIGNAL_SET 1
#define SHMEM_SIGNAL_ADD 2

/* --- Set-up ------------------------------------------------------------------------------------------- */

/* Joins the job; collective over all PEs. Without a launcher the program is a job of one PE. May be called
   again: each call needs its shmem_finalize. [shmem_init] */
void shmem_init(void);

/* Completes all outstanding operations, waits for every PE and, at the last call, leaves the job: symmetric
   memory is gone afterwards. Collective. [shmem_finalize] */
void shmem_finalize(void);

/* Ends the job: this PE exits with `status`, through exit(), and the launcher ends the others. Any PE may
   call it at any time; of several, the first one's status becomes the job's. [shmem_global_exit] */
void shmem_global_exit(int status) __attribute__((noreturn));

/* The number of this PE, 0 ... shmem_n_pes() - 1. [shmem_my_pe] */
int shmem_my_pe(void);

/* How many PEs the job has. [shmem_n_pes] */
int shmem_n_pes(void);

/* --- Memory ------------------------------------------------------------------------------------------- */
/* All of these are collective: every PE calls them in the same order with the same arguments, and they
   return when all PEs have. A result of NULL is NULL on every PE. Memory is aligned to 64 bytes and, where
   the kernel allows, an object has the same address on every PE. */

/* `size` bytes on every PE, contents unspecified; NULL when size is 0 (without a barrier) or when memory does
   not suffice (with one warning). The pages exist on return: touching them cannot fail. [shmem_malloc] */
void* shmem_malloc(size_t size);

/* Like shmem_malloc(count * size), all bytes zero on every PE. [shmem_calloc] */
void* shmem_calloc(size_t count, size_t size);

/* Like shmem_malloc, aligned to `alignment` bytes: a power of two and a multiple of sizeof(void *).
 * [shmem_align] */
void* shmem_align(size_t alignment, size_t size);

/* Moves the object at `ptr` to a size of `size` bytes, keeping what fits. NULL and the object untouched when
   memory does not suffice; realloc(NULL, size) allocates, realloc(ptr, 0) frees. [shmem_realloc] */
void* shmem_realloc(void* ptr, size_t size);

/* Frees an object; NULL is ignored. Waits for all PEs first, so that none still uses it. [shmem_free] */
void shmem_free(void* ptr);

/* Where this PE can load and store the object `dest` of PE `pe`; NULL when it cannot be reached so or when
   `dest` is not symmetric. Plain accesses need shmem_fence or shmem_barrier_all to be ordered. [shmem_ptr] */
void* shmem_ptr(const void* dest, int pe);

/* --- Transfers ---------------------------------------------------------------------------------------- */
/* `dest` of a put and `source` of a get are symmetric addresses of the calling PE, and name the object of PE
   `pe`. The local side may be any memory. */

/* Copies nelems bytes to PE pe. On return the local buffer may be reused; the data is visible to pe after
   shmem_quiet, a barrier or, in order with other puts, after shmem_fence. [shmem_put] */
void shmem_putmem(void* dest, const void* source, size_t nelems, int pe);

/* Copies nelems bytes from PE pe; the data is there on return. [shmem_get] */
void shmem_getmem(void* dest, const void* source, size_t nelems, int pe);

/* As above; complete, on both sides, only after shmem_quiet. [shmem_put_nbi, shmem_get_nbi] */
void shmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe);
void shmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe);

/* Orders this PE's puts, stores and signals to each PE: those before the call land before those after it.
   [shmem_fence] */
void shmem_fence(void);

/* Completes all of this PE's puts, stores and signals: they are visible to every PE on return. [shmem_quiet]
 */
void shmem_quiet(void);

/* --- Signals and waiting ------------------------------------------------------------------------------ */

/* Copies nelems bytes to PE pe, then updates the 8-byte aligned symmetric word sig_addr there:
   SHMEM_SIGNAL_SET stores `signal`, SHMEM_SIGNAL_ADD adds it. Who sees the signal sees this call's data.
   Earlier puts are not covered: they need shmem_fence. [shmem_put_signal] */
void shmem_putmem_signal(void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal,
                         int sig_op, int pe);

/* The signal word of this PE, with the data that came with it. [shmem_signal_fetch] */
uint64_t shmem_signal_fetch(const uint64_t* sig_addr);

/* Waits until the signal word of this PE compares with cmp_value as `cmp` (SHMEM_CMP_...) says, and returns
   the value that satisfied it; the data that came with it is visible. [shmem_signal_wait_until] */
uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value);

/* Waits until the 8-byte aligned symmetric word *ivar, written by another PE, compares with cmp_value as
   `cmp` says; what its writer ordered before the word, by shmem_fence or a signal, is visible.
   [shmem_wait_until] */
void shmem_uint64_wait_until(uint64_t* ivar, int cmp, uint64_t cmp_value);

/* Waits for all PEs; completes this PE's puts and stores first. On return what any PE wrote before its call
   is visible to every PE. [shmem_barrier_all] */
void shmem_barrier_all(void);

/* Waits for all PEs; completes nothing but the stores of this PE to its own and mapped memory.
   [shmem_sync_all] */
void shmem_sync_all(void);

#pragma GCC visibility pop

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "shmem/detail/inline.h"
#include "shmem/detail/target_first.h"

#endif /* SHMEM_H */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions beyond OpenSHMEM 1.6.
 *
 * Shared buffers: one physical buffer that the PEs of a share domain see at the same address. Its members
 * load and store it, and pass its address, with the number of any member, to transfers, signals and waits.
 *
 * Events: each PE has SHMEMX_EVENTS numbered flags that other PEs signal and it waits for. They count: two
 * signals satisfy two waits. A wait sees everything that the signaller wrote, put or read before it
 * signalled. Any thread may signal or wait.
 */
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* --- Shared buffers ----------------------------------------------------------------------------------- */

/* A shared buffer as one PE has it. */
typedef struct shmemx_shared* shmemx_shared_t; /* NOLINT(modernize-use-using): C, too */

/* Makes a buffer of `bytes` bytes, all zero, that the `n` PEs in the list `pes` share; the list names the
   caller, no PE twice, and in any order. Collective over these PEs alone: each calls it with the same PEs and
   size, one thread at a time; PEs in several domains make the calls in an order that fits all. On return
   *handle is the buffer, its memory exists, and the result is 0; where memory does not suffice *handle is
   NULL and the result is not 0, on all of the PEs, with one warning. A node holds 16384 such
   buffers at a time. */
int shmemx_alloc_shared(size_t bytes, const int* pes, int n, shmemx_shared_t* handle);

/* The buffer's address, the same on every PE that shares it, aligned to 64 KiB; from 2 MiB up to 2 MiB. */
void* shmemx_shared_ptr(shmemx_shared_t handle);

/* The size asked for, in bytes. */
size_t shmemx_shared_size(shmemx_shared_t handle);

/* Frees the buffer; NULL is ignored. Collective over the PEs that share it: waits for all of them first, so
   that none still uses it. What is not freed goes at shmem_finalize. */
void shmemx_free_shared(shmemx_shared_t handle);

/* --- Events ------------------------------------------------------------------------------------------- */

#define SHMEMX_EVENTS 64

/* Signals event `id` (0 ... SHMEMX_EVENTS - 1) of PE `pe`. */
void shmemx_signal_event(int id, int pe);

/* Signals event `id` of every PE but this one. */
void shmemx_signal_event_all(int id);

/* Waits for event `id` of this PE and takes one signal of it. */
void shmemx_wait_event(int id);

#pragma GCC visibility pop

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SHMEMX_H */

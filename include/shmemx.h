/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions beyond OpenSHMEM 1.6.
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

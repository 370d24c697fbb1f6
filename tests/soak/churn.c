/* SPDX-License-Identifier: Apache-2.0 */
/* Does a bit of everything for ever: allocates, moves data, signals and waits, until somebody kills it. */
#include <stdint.h>
#include <string.h>

#include "shmem.h"
#include "shmemx.h"

static void round_of_everything(int round, int me, int pes) {
    size_t bytes = (size_t)1 << (8 + round % 16);
    int next = (me + 1) % pes;
    char* object = shmem_malloc(bytes);
    uint64_t* signal = shmem_calloc(1, sizeof *signal);
    char source[256];
    memset(source, round, sizeof source);
    shmem_putmem_signal(object, source, sizeof source, signal, 1, SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 1);
    shmemx_signal_event(round % SHMEMX_EVENTS, next);
    shmemx_wait_event(round % SHMEMX_EVENTS);
    shmem_barrier_all();
    shmem_free(signal);
    shmem_free(object);
}

int main(void) {
    shmem_init();
    for (int round = 0;; ++round)
        round_of_everything(round, shmem_my_pe(), shmem_n_pes());
}

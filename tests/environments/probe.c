/* SPDX-License-Identifier: Apache-2.0 */
/* A PE for the tests of environments, which does what its first argument says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

enum { ROUNDS = 300, LINE_BYTES = 96 };

static int fails(const char* what) {
    fprintf(stderr, "probe: PE %d: %s\n", shmem_my_pe(), what);
    return 1;
}

static uint64_t* signal;
static char* line;

static int prepare_ring(void) {
    signal = shmem_calloc(1, sizeof *signal);
    line = shmem_calloc(1, LINE_BYTES);
    return signal == NULL || line == NULL ? fails("no memory for the ring") : 0;
}

/* Passes a token around, by signal, event and barrier. */
static int ring(void) {
    int me = shmem_my_pe();
    int next = (me + 1) % shmem_n_pes();
    for (uint64_t round = 1; round <= ROUNDS; ++round) {
        char token[LINE_BYTES];
        memset(token, (int)(round % 100), sizeof token);
        if (me == 0)
            shmem_putmem_signal(line, token, sizeof token, signal, round, SHMEM_SIGNAL_SET, next);
        shmem_signal_wait_until(signal, SHMEM_CMP_GE, round);
        if (memcmp(line, token, sizeof token) != 0)
            return fails("the token is damaged");
        if (me != 0)
            shmem_putmem_signal(line, token, sizeof token, signal, round, SHMEM_SIGNAL_SET, next);
        if (round % 10 == 0) {
            shmemx_signal_event(0, next);
            shmemx_wait_event(0);
            shmem_barrier_all();
        }
    }
    return 0;
}

/* Every byte is written: memory that is not there would raise SIGBUS, or have the process killed. */
static int allocate(size_t bytes) {
    char* object = shmem_malloc(bytes);
    if (object != NULL)
        memset(object, 1, bytes);
    shmem_barrier_all();
    printf("%s\n", object == NULL ? "refused" : "allocated");
    return ring();
}

static int allocate_until_refused(size_t bytes) {
    size_t pieces = 0;
    for (char* piece; (piece = shmem_malloc(bytes)) != NULL; ++pieces)
        memset(piece, 1, bytes);
    printf("%zu pieces\n", pieces);
    return ring();
}

int main(int argc, char** argv) {
    const char* task = argc > 1 ? argv[1] : "ring";
    size_t bytes = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) << 20 : 0;
    shmem_init();
    int status = prepare_ring();
    if (status != 0)
        return status;
    status = strcmp(task, "allocate") == 0 ? allocate(bytes)
             : strcmp(task, "pieces") == 0 ? allocate_until_refused(bytes)
                                           : ring();
    if (status != 0)
        return status;
    printf("done\n");
    fflush(stdout);
    if (strcmp(task, "stay") == 0)
        for (;;)
            pause();
    shmem_finalize();
    return 0;
}

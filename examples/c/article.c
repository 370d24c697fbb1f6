/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer on every PE; PE 0 puts its data into each of them and signals; all check it and answer.
   A put with the target first, and a numbered event for "it is there": nothing else is needed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <shmem.h>
#include <shmemx.h>

/* Events have numbers; these are ours. */
#define DATA_IS_THERE 0
#define ANSWER_IS_THERE 1

#define BYTES ((size_t)16 << 20) /* the heap has no size to configure: any size that fits */

static uint64_t sum(const uint64_t* values, size_t count) {
    uint64_t total = 0;
    for (size_t i = 0; i < count; ++i)
        total += values[i];
    return total;
}

static void send_to_all(uint64_t* remote, size_t count) {
    uint64_t* local = malloc(BYTES); /* any memory of this PE */
    if (!local)
        exit(1);
    for (size_t i = 0; i < count; ++i)
        local[i] = i * i;
    for (int target_pe = 0; target_pe < shmem_n_pes(); ++target_pe)
        shmem_put(target_pe, local, remote, BYTES);
    free(local);
    shmemx_signal_event_all(DATA_IS_THERE);
}

static int check_answers(const uint64_t* answers, uint64_t expected) {
    for (int pe = 1; pe < shmem_n_pes(); ++pe)
        shmemx_wait_event(ANSWER_IS_THERE); /* events count: one wait for each answer */
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (answers[pe] != expected) {
            fprintf(stderr, "PE %d found another sum\n", pe);
            return 1;
        }
    }
    printf("article: %d PEs have the same %zu bytes\n", shmem_n_pes(), BYTES);
    return 0;
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    size_t count = BYTES / sizeof(uint64_t);
    uint64_t* buffer = shmem_malloc(BYTES); /* on every PE, at the same address */
    uint64_t* answers = shmem_calloc(shmem_n_pes(), sizeof *answers);
    if (!buffer || !answers)
        exit(1); /* the library has said why */

    if (me == 0)
        send_to_all(buffer, count);
    else
        shmemx_wait_event(DATA_IS_THERE);

    uint64_t answer = sum(buffer, count);
    shmem_put(0, &answer, &answers[me], sizeof answer);
    if (me != 0)
        shmemx_signal_event(ANSWER_IS_THERE, 0);

    uint64_t expected = 0;
    for (uint64_t i = 0; i < count; ++i)
        expected += i * i;
    int status = me == 0 ? check_answers(answers, expected) : 0;
    shmem_free(answers);
    shmem_free(buffer);
    shmem_finalize();
    return status;
}

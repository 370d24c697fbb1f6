/* SPDX-License-Identifier: Apache-2.0 */
/* PE 0 waits for ever in the function that the first argument names; the others sleep. With "sleep" all PEs
   sleep a while, with none they end at once. See waits_test.py and stalls_test.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

static void sleep_for_ever(void) {
    for (;;)
        pause();
}

static void call(const char* function, uint64_t* words, const int* both) {
    shmemx_shared_t shared = NULL;
    if (strcmp(function, "shared word") == 0)
        shmem_signal_wait_until(words + 2, SHMEM_CMP_EQ, 6);
    else if (strcmp(function, "shmemx_alloc_shared") == 0)
        shmemx_alloc_shared(800, both, 2, &shared);
    else if (strcmp(function, "shmem_barrier_all") == 0)
        shmem_barrier_all();
    else if (strcmp(function, "shmem_sync_all") == 0)
        shmem_sync_all();
    else if (strcmp(function, "shmem_malloc") == 0)
        shmem_malloc(64);
    else if (strcmp(function, "shmem_calloc") == 0)
        shmem_calloc(8, 8);
    else if (strcmp(function, "shmem_align") == 0)
        shmem_align(128, 64);
    else if (strcmp(function, "shmem_realloc") == 0)
        shmem_realloc(words, 64);
    else if (strcmp(function, "shmem_free") == 0)
        shmem_free(words);
    else if (strcmp(function, "shmem_signal_wait_until") == 0)
        shmem_signal_wait_until(words + 2, SHMEM_CMP_GE, 4);
    else if (strcmp(function, "shmem_uint64_wait_until") == 0)
        shmem_uint64_wait_until(words + 2, SHMEM_CMP_EQ, 5);
    else if (strcmp(function, "shmemx_wait_event") == 0)
        shmemx_wait_event(7);
}

int main(int argc, char** argv) {
    const char* function = argc > 1 ? argv[1] : "";
    const char* number = getenv("SHMEM_JOB_PE");
    int waits = number == NULL || strcmp(number, "0") == 0;
    if (strcmp(function, "shmem_init") == 0 && !waits)
        sleep_for_ever();
    shmem_init();
    printf("joined\n");
    fflush(stdout);
    uint64_t* words = shmem_malloc(800);
    words[2] = 3;
    int both[] = {0, 1};
    shmemx_shared_t shared = NULL;
    if (strcmp(function, "shared word") == 0 && shmemx_alloc_shared(800, both, 2, &shared) == 0)
        words = shmemx_shared_ptr(shared);
    if (strcmp(function, "sleep") == 0)
        sleep(2);
    else if (waits)
        call(function, words, both);
    else if (strcmp(function, "") != 0)
        sleep_for_ever();
    shmem_finalize();
    return 0;
}

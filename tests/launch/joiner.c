/* SPDX-License-Identifier: Apache-2.0 */
/* A PE that behaves as its first argument says, where only PE 1 may misbehave; see shmemrun_test.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shmem.h"

static void sleep_for_ever(void) {
    for (;;)
        pause();
}

int main(int argc, char** argv) {
    const char* behaviour = argc > 1 ? argv[1] : "";
    const char* number = getenv("SHMEM_JOB_PE");
    int chosen = number != NULL && strcmp(number, "1") == 0;
    if (strcmp(behaviour, "skip-init") == 0 && chosen)
        return 0;
    if (strcmp(behaviour, "sleep-before-init") == 0 && chosen)
        sleep_for_ever();
    shmem_init();
    printf("joined\n");
    fflush(stdout);
    if (strcmp(behaviour, "stay") == 0)
        sleep_for_ever();
    if (strcmp(behaviour, "skip-finalize") == 0 && chosen)
        exit(0); /* with everything that runs at exit: none of it may wait for the others */
    if (strcmp(behaviour, "fail") == 0 && chosen)
        _exit(3);
    if (strcmp(behaviour, "sleep") == 0 && chosen)
        sleep_for_ever();
    shmem_finalize();
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak_failing [PE:WHEN:HOW:MICROSECONDS]...: the PEs that are named fail `before`, `during` or `after`
 * shmem_init, that many microseconds later; the others wait for them in barriers without end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shmem.h"

struct failure {
    char when[16], how[16];
    unsigned microseconds;
};

static void* fail(void* argument) {
    const struct failure* failure = argument;
    usleep(failure->microseconds);
    if (strcmp(failure->how, "exit") == 0)
        exit(3);
    if (strcmp(failure->how, "exit-well") == 0)
        exit(0);
    if (strcmp(failure->how, "_exit") == 0)
        _exit(4);
    if (strcmp(failure->how, "abort") == 0)
        abort();
    if (strcmp(failure->how, "sleep") == 0)
        execlp("sleep", "sleep", "1000", (char*)NULL);
    execlp(failure->how, failure->how, (char*)NULL);
    return NULL;
}

/* Of this PE, whose number only the launcher's variable tells before shmem_init. */
static int find_failure(int count, char** arguments, struct failure* failure) {
    const char* number = getenv("SHMEM_JOB_PE");
    for (int i = 1; i < count; ++i) {
        int pe;
        if (sscanf(arguments[i], "%d:%15[^:]:%15[^:]:%u", &pe, failure->when, failure->how,
                   &failure->microseconds) != 4)
            exit(2);
        if (number != NULL && pe == atoi(number))
            return 1;
    }
    return 0;
}

int main(int count, char** arguments) {
    static struct failure failure;
    int fails = find_failure(count, arguments, &failure);
    if (fails && strcmp(failure.when, "before") == 0)
        fail(&failure);
    pthread_t thread;
    if (fails && strcmp(failure.when, "during") == 0 && pthread_create(&thread, NULL, fail, &failure) != 0)
        return 2;
    shmem_init();
    if (fails && strcmp(failure.when, "after") == 0)
        fail(&failure);
    for (;;)
        shmem_barrier_all();
}

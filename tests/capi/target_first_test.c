/* SPDX-License-Identifier: Apache-2.0 */
/* shmem_put and shmem_get with each integer type as first argument. */
#include <stdbool.h>
#include <stdio.h>

#include <shmem.h>

enum first_or_second { first_pe, second_pe };

static int wrong = 0;

static void check(const char* type, const long* object, long expected, long back, long sent) {
    shmem_barrier_all();
    if (*object != expected || back != sent) {
        fprintf(stderr, "PE %d: first argument %s: object is %ld, wanted %ld; got back %ld, wanted %ld\n",
                shmem_my_pe(), type, *object, expected, back, sent);
        wrong = 1;
    }
    shmem_barrier_all();
}

/* Every PE sends a number that tells who sent it and with which type. */
#define TRY(type)                                                                                            \
    do {                                                                                                     \
        type target = (type)to;                                                                              \
        const type constant_target = (type)to;                                                               \
        long sent = 100 * __LINE__ + me, back = 0;                                                           \
        shmem_put(target, &sent, object, sizeof sent);                                                       \
        shmem_get(constant_target, &back, object, sizeof back);                                              \
        check(#type, object, 100 * __LINE__ + from, back, sent);                                             \
    } while (0)

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pes = shmem_n_pes();
    int to = (me + 1) % pes, from = (me + pes - 1) % pes;
    long* object = shmem_malloc(sizeof *object);
    TRY(char);
    TRY(signed char);
    TRY(unsigned char);
    TRY(short);
    TRY(unsigned short);
    TRY(int);
    TRY(unsigned int);
    TRY(long);
    TRY(unsigned long);
    TRY(long long);
    TRY(unsigned long long);
    TRY(size_t);
    TRY(int8_t);
    TRY(uint64_t);
    TRY(ptrdiff_t);
    if (pes <= 2) {
        TRY(bool);
        TRY(enum first_or_second);
    }
    shmem_free(object);
    shmem_finalize();
    return wrong;
}

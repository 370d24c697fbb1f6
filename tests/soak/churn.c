/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak_churn WORK SEED [ROUNDS]: does one kind of work, or `everything`, for ever or for some rounds, until
 * somebody kills it. All PEs draw the same random numbers, so that they agree on what to do without talking.
 * Data that arrives wrong ends it with status 3.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

enum { OPEN_BUFFERS = 4, MOST_PES = 16 };

static uint64_t state;
static int me, pes;

static unsigned draw(unsigned end) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % end;
}

static void require(int holds, const char* what) {
    if (holds)
        return;
    fprintf(stderr, "PE %d: %s\n", me, what);
    exit(3);
}

static int holds_only(const unsigned char* bytes, size_t count, int value) {
    return count == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* One PE comes late at times, so that the others do not only spin but sleep. */
static void let_one_be_late(void) {
    int late = (int)draw((unsigned)pes * 4);
    unsigned microseconds = draw(2000);
    if (late == me)
        usleep(microseconds);
}

static void start(void) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    require(pes <= MOST_PES, "too many PEs");
}

static void join_and_leave(void) {
    shmem_finalize();
    start();
}

/* Up to 32 MiB on each PE, so that a kill hits the taking of pages too. */
static void allocate(void) {
    size_t bytes[2];
    unsigned char* objects[2];
    for (int i = 0; i < 2; ++i) {
        bytes[i] = ((size_t)1 << (8 + draw(18))) + draw(256);
        objects[i] = draw(2) ? shmem_malloc(bytes[i]) : shmem_calloc(bytes[i], 1);
        require(objects[i] != NULL, "no memory");
        memset(objects[i], me + 1, bytes[i]);
    }
    unsigned first = draw(2);
    for (unsigned i = 0; i < 2; ++i) {
        unsigned which = (first + i) % 2;
        require(holds_only(objects[which], bytes[which], me + 1), "an object was overwritten");
        shmem_free(objects[which]);
    }
}

static void synchronise(void) {
    let_one_be_late();
    shmem_barrier_all();
    shmem_sync_all();
}

static void signal_in_a_ring(void) {
    unsigned char source[256];
    unsigned char* data = shmem_malloc(sizeof source);
    uint64_t* signal = shmem_calloc(1, sizeof *signal);
    require(data != NULL && signal != NULL, "no memory");
    for (uint64_t round = 1; round <= 8; ++round) {
        memset(source, (int)round, sizeof source);
        let_one_be_late();
        shmem_putmem_signal(data, source, sizeof source, signal, round, SHMEM_SIGNAL_SET, (me + 1) % pes);
        shmem_signal_wait_until(signal, SHMEM_CMP_GE, round);
        require(holds_only(data, sizeof source, (int)round), "a signal came before its data");
        shmem_barrier_all();
    }
    shmem_free(signal);
    shmem_free(data);
}

static void signal_events(void) {
    for (int round = 0; round < 8; ++round) {
        int id = (int)draw(SHMEMX_EVENTS);
        let_one_be_late();
        shmemx_signal_event(id, (me + 1) % pes);
        shmemx_wait_event(id);
    }
}

struct shared {
    shmemx_shared_t handle;
    unsigned members; /* a bit for each PE; 0: not open */
    size_t place;     /* of this PE among them */
    size_t part;      /* bytes for each of them */
};

static int shares(const struct shared* buffer) {
    return (buffer->members >> me & 1) != 0;
}

static unsigned char* own_part(const struct shared* buffer) {
    return (unsigned char*)shmemx_shared_ptr(buffer->handle) + buffer->place * buffer->part;
}

static void open_shared(struct shared* buffer) {
    int list[MOST_PES];
    int count = 0;
    buffer->part = (size_t)1 << (8 + draw(13));
    buffer->members = 1 + draw((1u << pes) - 1);
    for (int pe = 0; pe < pes; ++pe) {
        if (pe == me)
            buffer->place = (size_t)count;
        if (buffer->members >> pe & 1)
            list[count++] = pe;
    }
    if (!shares(buffer))
        return;
    size_t bytes = (size_t)count * buffer->part;
    require(shmemx_alloc_shared(bytes, list, count, &buffer->handle) == 0, "no memory");
    require(holds_only(own_part(buffer), buffer->part, 0), "a new shared buffer is not zero");
    memset(own_part(buffer), me + 1, buffer->part);
}

static void close_shared(struct shared* buffer) {
    if (shares(buffer)) {
        require(holds_only(own_part(buffer), buffer->part, me + 1), "a shared buffer was overwritten");
        shmemx_free_shared(buffer->handle);
    }
    buffer->members = 0;
}

static void share(void) {
    struct shared buffers[OPEN_BUFFERS] = {0};
    for (int step = 0; step < 4 * OPEN_BUFFERS; ++step) {
        struct shared* buffer = &buffers[draw(OPEN_BUFFERS)];
        (buffer->members ? close_shared : open_shared)(buffer);
    }
    for (int i = 0; i < OPEN_BUFFERS; ++i)
        close_shared(&buffers[i]);
}

static const struct {
    const char* name;
    void (*work)(void);
} kWorks[] = {{"join", join_and_leave},     {"allocate", allocate},   {"synchronise", synchronise},
              {"signal", signal_in_a_ring}, {"event", signal_events}, {"share", share}};
enum { WORKS = sizeof kWorks / sizeof kWorks[0] };

int main(int count, char** arguments) {
    if (count < 3)
        return 2;
    unsigned only = 0;
    while (only < WORKS && strcmp(arguments[1], kWorks[only].name) != 0)
        ++only; /* WORKS: everything */
    state = strtoull(arguments[2], NULL, 10) + 1;
    long rounds = count > 3 ? strtol(arguments[3], NULL, 10) : 0;
    start();
    for (long round = 1; rounds == 0 || round <= rounds; ++round) {
        kWorks[only < WORKS ? only : draw(WORKS)].work();
        if (me == 0) {
            printf("%ld rounds\n", round);
            fflush(stdout);
        }
    }
    shmem_finalize();
    return 0;
}

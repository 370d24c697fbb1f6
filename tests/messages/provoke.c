/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one mistake, or ends in one way: provoke NAME. docs/messages.md shows the bodies of these functions
   with what is printed; see messages.py. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

static int me;
static uint64_t* word;
static uint64_t value;
static shmemx_shared_t handle;

/* --- Arguments ---------------------------------------------------------------------------------------- */

static void pe_out_of_range(void) {
    shmem_putmem(word, &value, 8, 9);
}
static void target_pe_out_of_range(void) {
    shmem_put(-1, &value, word, 8);
}
static void null_remote(void) {
    shmem_putmem(NULL, &value, 8, 0);
}
static void remote_not_symmetric(void) {
    shmem_getmem(word, &value, 8, 0);
}
static void address_of_peer(void) {
    uint64_t* there = shmem_ptr(word, 2);
    shmem_putmem(there, &value, 8, 2);
}
static void past_the_end(void) {
    shmem_putmem(word, word, 65, 0);
}
static void no_local_buffer(void) {
    shmem_putmem(word, NULL, 8, 0);
}
static void misaligned_word(void) {
    shmem_signal_fetch((uint64_t*)((char*)word + 4));
}
static void bad_signal_operation(void) {
    shmem_putmem_signal(word, &value, 8, word + 1, 1, 7, 0);
}
static void bad_comparison(void) {
    shmem_signal_wait_until(word, 7, 1);
}
static void bad_event(void) {
    shmemx_signal_event(64, 0);
}

/* --- Symmetric memory --------------------------------------------------------------------------------- */

static void bad_alignment(void) {
    shmem_align(24, 64);
}
static void use_after_free(void) {
    shmem_free(word);
    shmem_putmem(word, &value, 8, 0);
}
static void double_free(void) {
    shmem_free(word);
    shmem_free(word);
}
static void foreign_free(void) {
    shmem_free(&value);
}
static void middle_free(void) {
    shmem_free(word + 1);
}
static void sizes_differ(void) {
    shmem_malloc(me == 2 ? 200 : 100);
}
static void new_sizes_differ(void) {
    shmem_realloc(word, me == 2 ? 200 : 100);
}
static void objects_differ(void) {
    void* other = shmem_malloc(64);
    shmem_free(me == 2 ? other : word);
}
static void calls_differ(void) {
    if (me == 2)
        shmem_free(word);
    else
        shmem_malloc(64);
}
static void one_in_a_barrier(void) {
    if (me == 2)
        shmem_barrier_all();
    else
        shmem_malloc(64);
}
static void cap_exhausted(void) {
    if (shmem_malloc(2 << 20) == NULL && me == 0)
        puts("goes on");
}
static void memory_exhausted(void) {
    if (shmem_malloc((size_t)1 << 50) == NULL && me == 0)
        puts("goes on");
}

static void memory_left_exceeded(void) {
    size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (shmem_malloc(all / 2) == NULL && me == 0)
        puts("goes on");
}

/* --- Shared buffers ----------------------------------------------------------------------------------- */

static void domain_with_duplicate(void) {
    shmemx_alloc_shared(4096, (int[]){0, 1, 1}, 3, &handle);
}
static void domain_without_caller(void) {
    shmemx_alloc_shared(4096, (int[]){0, 2}, 2, &handle);
}
static void domain_out_of_range(void) {
    shmemx_alloc_shared(4096, (int[]){1, 3}, 2, &handle);
}
static void shared_sizes_differ(void) {
    shmemx_alloc_shared(me == 2 ? 8192 : 4096, (int[]){0, 1, 2}, 3, &handle);
}
static void shared_of_no_bytes(void) {
    shmemx_alloc_shared(0, (int[]){0, 1, 2}, 3, &handle);
}
static void shared_exhausted(void) {
    if (shmemx_alloc_shared((size_t)1 << 50, (int[]){0, 1, 2}, 3, &handle) != 0 && me == 0)
        puts("goes on");
}
static void not_a_member(void) {
    if (me == 2)
        return;
    shmemx_alloc_shared(4096, (int[]){0, 1}, 2, &handle);
    if (me == 1)
        shmem_putmem(shmemx_shared_ptr(handle), &value, 8, 2);
}
static void freed_handle(void) {
    shmemx_alloc_shared(4096, (int[]){0, 1, 2}, 3, &handle);
    shmemx_free_shared(handle);
    shmemx_free_shared(handle);
}
static void past_the_end_of_shared(void) {
    shmemx_alloc_shared(4096, (int[]){0, 1, 2}, 3, &handle);
    if (me == 1)
        shmem_putmem(shmemx_shared_ptr(handle), &value, 5000, 2);
}

/* --- Begin and end ------------------------------------------------------------------------------------ */

static void not_initialised(void) {
    shmem_malloc(64);
    shmem_init();
}
static void after_finalize(void) {
    shmem_finalize();
    shmem_barrier_all();
}
static void used_after_fork(void) {
    if (fork() == 0)
        shmem_putmem(word, &value, 8, 0);
    wait(NULL);
}
static void second_program(void) {
    if (system("./a.out") != 0)
        puts("goes on");
}
static void nothing(void) {}
static void exit_before_init_with_3(void) {
    sleep(1);
    exit(3);
}
static void exit_before_init_with_0(void) {
    sleep(1);
    exit(0);
}
static void late(void) {
    sleep(1000);
}
static void exit_with_0(void) {
    exit(0);
}
static void exit_with_0_alone(void) {
    exit(0);
}
static void exit_with_3(void) {
    exit(3);
}
static void underscore_exit(void) {
    _exit(0);
}
static void one_barrier_more(void) {
    shmem_barrier_all();
}
static void global_exit(void) {
    shmem_global_exit(3);
}
static void aborted(void) {
    abort();
}
static void segmentation_fault(void) {
    *(volatile int*)NULL = 1;
}
static void killed(void) {
    kill(getpid(), SIGKILL);
}
static void stuck(void) {
    if (me == 1)
        shmem_signal_wait_until(word + 2, SHMEM_CMP_GE, 4);
    if (me == 2)
        shmemx_wait_event(7);
}
static void computes_for_ever(void) {
    for (;;)
        continue;
}
static void prints_for_ever(void) {
    for (;;)
        puts("y");
}

/* --- Who does it, and when ---------------------------------------------------------------------------- */

enum Who { all_pes, pe_1 };
enum When { before_init, after_init };

#define KIND(name, who, when)                                                                                \
    { #name, name, who, when }

static const struct {
    const char* name;
    void (*act)(void);
    enum Who who;
    enum When when;
} kinds[] = {
    KIND(pe_out_of_range, pe_1, after_init),
    KIND(target_pe_out_of_range, pe_1, after_init),
    KIND(null_remote, pe_1, after_init),
    KIND(remote_not_symmetric, pe_1, after_init),
    KIND(address_of_peer, pe_1, after_init),
    KIND(past_the_end, pe_1, after_init),
    KIND(no_local_buffer, pe_1, after_init),
    KIND(misaligned_word, pe_1, after_init),
    KIND(bad_signal_operation, pe_1, after_init),
    KIND(bad_comparison, pe_1, after_init),
    KIND(bad_event, pe_1, after_init),
    KIND(bad_alignment, pe_1, after_init),
    KIND(use_after_free, all_pes, after_init),
    KIND(double_free, all_pes, after_init),
    KIND(foreign_free, pe_1, after_init),
    KIND(middle_free, pe_1, after_init),
    KIND(sizes_differ, all_pes, after_init),
    KIND(new_sizes_differ, all_pes, after_init),
    KIND(objects_differ, all_pes, after_init),
    KIND(calls_differ, all_pes, after_init),
    KIND(one_in_a_barrier, all_pes, after_init),
    KIND(cap_exhausted, all_pes, after_init),
    KIND(memory_left_exceeded, all_pes, after_init),
    KIND(memory_exhausted, all_pes, after_init),
    KIND(domain_with_duplicate, pe_1, after_init),
    KIND(domain_without_caller, pe_1, after_init),
    KIND(domain_out_of_range, pe_1, after_init),
    KIND(shared_sizes_differ, all_pes, after_init),
    KIND(shared_of_no_bytes, pe_1, after_init),
    KIND(shared_exhausted, all_pes, after_init),
    KIND(not_a_member, all_pes, after_init),
    KIND(freed_handle, all_pes, after_init),
    KIND(past_the_end_of_shared, all_pes, after_init),
    KIND(not_initialised, all_pes, before_init),
    KIND(after_finalize, all_pes, after_init),
    KIND(used_after_fork, pe_1, after_init),
    KIND(second_program, pe_1, after_init),
    KIND(nothing, all_pes, after_init),
    KIND(exit_before_init_with_3, pe_1, before_init),
    KIND(exit_before_init_with_0, pe_1, before_init),
    KIND(late, pe_1, before_init),
    KIND(exit_with_0, all_pes, after_init),
    KIND(exit_with_0_alone, pe_1, after_init),
    KIND(exit_with_3, pe_1, after_init),
    KIND(underscore_exit, pe_1, after_init),
    KIND(one_barrier_more, pe_1, after_init),
    KIND(global_exit, pe_1, after_init),
    KIND(aborted, pe_1, after_init),
    KIND(segmentation_fault, pe_1, after_init),
    KIND(killed, pe_1, after_init),
    KIND(stuck, all_pes, after_init),
    KIND(computes_for_ever, pe_1, after_init),
    KIND(prints_for_ever, all_pes, after_init),
};

static void act(const char* name, enum When when) {
    const char* number = getenv("SHMEM_JOB_PE");
    int is_pe_1 = number == NULL || strcmp(number, "1") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (strcmp(kinds[i].name, name) == 0 && kinds[i].when == when && (kinds[i].who == all_pes || is_pe_1))
            kinds[i].act();
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "nothing";
    act(name, before_init);
    shmem_init();
    me = shmem_my_pe();
    word = shmem_calloc(8, 8);
    shmem_barrier_all();
    puts("all have joined");
    fflush(stdout);
    act(name, after_init);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}

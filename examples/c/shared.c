/* SPDX-License-Identifier: Apache-2.0 */
/* A table that PEs share: one buffer, at one address, for all PEs; and one for each pair of neighbours.
   Pointers into a shared buffer mean the same to all who share it. */
#include <stdio.h>
#include <stdlib.h>

#include <shmem.h>
#include <shmemx.h>

/* A list in the buffer: each PE adds its node, and links it to that of the next one. */
struct node {
    int pe;
    const struct node* next;
};

static void require(int condition, const char* what) {
    if (condition)
        return;
    fprintf(stderr, "PE %d: not so: %s\n", shmem_my_pe(), what);
    exit(1);
}

/* A share domain of two PEs; the others make no call. */
static void talk_in_pair(int me) {
    int pair[] = {1, 0};
    shmemx_shared_t handle;
    require(shmemx_alloc_shared(4096, pair, 2, &handle) == 0, "there is memory");
    uint64_t* word = shmemx_shared_ptr(handle);
    uint64_t value = 42;
    if (me == 0)
        shmem_putmem_signal(&word[1], &value, sizeof value, &word[0], 1, SHMEM_SIGNAL_SET, 1);
    else
        shmem_signal_wait_until(&word[0], SHMEM_CMP_EQ, 1);
    require(me == 0 || word[1] == 42, "the signal brings the data");
    shmemx_free_shared(handle);
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int* everybody = malloc((size_t)n * sizeof *everybody);
    for (int pe = 0; pe < n; ++pe)
        everybody[pe] = pe;

    shmemx_shared_t handle;
    require(shmemx_alloc_shared(8 << 20, everybody, n, &handle) == 0, "there is memory");
    struct node* nodes = shmemx_shared_ptr(handle);
    nodes[me].pe = me;
    nodes[me].next = &nodes[(me + 1) % n];
    shmem_barrier_all();
    const struct node* node = &nodes[me];
    for (int step = 0; step < n; ++step, node = node->next)
        require(node->pe == (me + step) % n, "the list goes around all PEs");
    require(node == &nodes[me], "it ends where it began");

    if (n > 1 && me < 2)
        talk_in_pair(me);

    if (me == 0)
        printf("shared: %d PEs walk one list at %p\n", n, (void*)nodes);
    shmemx_free_shared(handle);
    free(everybody);
    shmem_finalize();
    return 0;
}

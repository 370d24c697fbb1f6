/* SPDX-License-Identifier: Apache-2.0 */
/* The last PE makes a mistake while all others wait for it. */
#include <stdint.h>

#include <shmem.h>

int main(void) {
    shmem_init();
    uint64_t* word = shmem_malloc(sizeof *word);
    uint64_t value = 1;
    if (shmem_my_pe() == shmem_n_pes() - 1)
        shmem_putmem(word, &value, sizeof value, 9);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}

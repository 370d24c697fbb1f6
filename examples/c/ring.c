/* SPDX-License-Identifier: Apache-2.0 */
/* A token goes round all PEs, again and again. Each PE checks it, counts it on, puts it into the next PE's
   memory and signals that PE's event 0. */
#include <stdio.h>
#include <stdlib.h>

#include <shmem.h>
#include <shmemx.h>

#define LAPS 100L
#define TOKEN_CAME 0 /* the number of an event */

typedef struct {
    long hops; /* how often it was passed on */
    long from; /* by whom last */
} Token;

static void pass_on(Token* token) {
    int next = (shmem_my_pe() + 1) % shmem_n_pes();
    Token mine = {token->hops + 1, shmem_my_pe()};
    shmem_putmem(token, &mine, sizeof mine, next);
    shmemx_signal_event(TOKEN_CAME, next); /* who takes the signal sees the token */
}

static void receive(const Token* token, long hops) {
    int previous = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    shmemx_wait_event(TOKEN_CAME);
    if (token->hops != hops || token->from != previous) {
        fprintf(stderr, "PE %d: the token came from PE %ld after %ld hops, not from PE %d after %ld\n",
                shmem_my_pe(), token->from, token->hops, previous, hops);
        exit(1); /* the launcher ends the other PEs */
    }
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    Token* token = shmem_calloc(1, sizeof *token);
    if (!token)
        exit(1); /* the library has said why */
    for (long lap = 0; lap < LAPS; ++lap) {
        if (me == 0)
            pass_on(token);
        receive(token, lap * n + (me == 0 ? n : me));
        if (me != 0)
            pass_on(token);
    }
    if (me == 0)
        printf("ring: %ld laps round %d PEs, %ld hops\n", LAPS, n, token->hops);
    shmem_free(token);
    shmem_finalize();
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A token goes round all PEs, again and again. Each PE checks it, counts it on, puts it into the next PE's
// memory and signals that PE's event 0.
#include <cstdio>
#include <cstdlib>

#include <shmem.hpp>

namespace {

constexpr long kLaps = 100;
constexpr int kTokenCame = 0;

struct Token {
    long hops; // how often it was passed on
    long from; // by whom last
};

void pass_on(Token& token) {
    int next = (shmem::my_pe() + 1) % shmem::n_pes();
    shmem::put(&token, {token.hops + 1, shmem::my_pe()}, next);
    shmem::signal_event(kTokenCame, next); // who takes the signal sees the token
}

void receive(const Token& token, long hops) {
    int previous = (shmem::my_pe() + shmem::n_pes() - 1) % shmem::n_pes();
    shmem::wait_event(kTokenCame);
    if (token.hops != hops || token.from != previous) {
        std::fprintf(stderr, "PE %d: the token came from PE %ld after %ld hops, not from PE %d after %ld\n",
                     shmem::my_pe(), token.from, token.hops, previous, hops);
        std::exit(1); // the launcher ends the other PEs
    }
}

} // namespace

int main() {
    shmem::init();
    int me = shmem::my_pe(), n = shmem::n_pes();
    auto token = shmem::symmetric<Token>(1);
    for (long lap = 0; lap < kLaps; ++lap) {
        if (me == 0)
            pass_on(token[0]);
        receive(token[0], lap * n + (me == 0 ? n : me));
        if (me != 0)
            pass_on(token[0]);
    }
    if (me == 0)
        std::printf("ring: %ld laps round %d PEs, %ld hops\n", kLaps, n, token[0].hops);
    shmem::finalize();
}

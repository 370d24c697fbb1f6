// SPDX-License-Identifier: Apache-2.0
// A table that PEs share: one buffer, at one address, for all PEs; and one for each pair of neighbours.
// Pointers into a shared buffer mean the same to all who share it.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <shmem.hpp>

using namespace shmem;

namespace {

constexpr std::size_t kBytes = 8_MB; // as much as there is: 1_GB works as well where it fits

/// A list in the buffer: each PE adds its node, and links it to that of the next one.
struct Node {
    int pe;
    const Node* next;
};

void require(bool condition, const char* what) {
    if (condition)
        return;
    std::fprintf(stderr, "PE %d: not so: %s\n", my_pe(), what);
    std::exit(1);
}

} // namespace

int main() {
    init();
    int me = my_pe(), n = n_pes();
    std::vector<int> everybody(static_cast<std::size_t>(n));
    std::iota(everybody.begin(), everybody.end(), 0);

    auto h = alloc(kBytes, everybody); // for four PEs: alloc(1_GB, {0, 1, 2, 3})
    auto* nodes = static_cast<Node*>(h.ptr());
    nodes[me] = {me, &nodes[(me + 1) % n]};
    barrier_all();
    const Node* node = &nodes[me];
    for (int step = 0; step < n; ++step, node = node->next)
        require(node->pe == (me + step) % n, "the list goes around all PEs");
    require(node == &nodes[me], "it ends where it began");

    if (n > 1 && me < 2) { // a share domain of two PEs; the others make no call
        auto pair = alloc(4096, {1, 0});
        auto* word = static_cast<std::uint64_t*>(pair.ptr());
        const std::uint64_t value = 42;
        if (me == 0)
            put_signal(&word[1], &value, sizeof value, &word[0], 1, SHMEM_SIGNAL_SET, 1);
        else
            signal_wait_until(&word[0], SHMEM_CMP_EQ, 1);
        require(me == 0 || word[1] == 42, "the signal brings the data");
    } // freed here, by both

    if (me == 0)
        std::printf("shared: %d PEs walk one list at %p\n", n, h.ptr());
    h.free();
    finalize();
}

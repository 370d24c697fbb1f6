// SPDX-License-Identifier: Apache-2.0
#include "capi/inline_code.hpp"

#include <cstddef>
#include <new>

#include "base/asymmetric_fence.hpp"
#include "capi/instance.hpp"
#include "shmem/detail/inline.h"

// Programs have these compiled in: who changes one gives them, and the pointer, new names.
static_assert(sizeof(shmemx_fast_peer) == 16 && offsetof(shmemx_fast_peer, announced) == 8);
static_assert(sizeof(shmemx_fast) == 32 && offsetof(shmemx_fast, heap_bytes) == 8 &&
              offsetof(shmemx_fast, lines) == 16 && offsetof(shmemx_fast, n_pes) == 24);
static_assert(shm::kLine == 64);

namespace {

const shmemx_fast kNothing{};

/// A shmemx_fast with its peers behind it.
shmemx_fast* make_fast(shm::Runtime& runtime) {
    auto n_pes = static_cast<std::size_t>(runtime.n_pes());
    void* memory = ::operator new(sizeof(shmemx_fast) + n_pes * sizeof(shmemx_fast_peer));
    auto* fast = new (memory) shmemx_fast{runtime.heap_begin(), runtime.heap_lines().capacity(),
                                          runtime.heap_lines().lines(), static_cast<unsigned>(n_pes)};
    auto* peers = reinterpret_cast<shmemx_fast_peer*>(fast + 1);
    for (std::size_t pe = 0; pe < n_pes; ++pe) {
        const shm::Peer& peer = runtime.peer(static_cast<int>(pe));
        new (peers + pe) shmemx_fast_peer{peer.delta, &peer.slot->wake_up.announced_word()};
    }
    return fast;
}

} // namespace

const shmemx_fast* shmemx_fast_1 = &kNothing;

namespace shm::capi {

void allow_inline_code(Runtime& runtime) {
    // Elsewhere a put needs a fence, which belongs into the call.
    if (!asymmetric_fence::light_is_free())
        return;
    // Not freed before the next one is made: threads may read it while the process exits.
    static shmemx_fast* fast = nullptr;
    ::operator delete(fast);
    fast = make_fast(runtime);
    shmemx_fast_1 = fast;
}

void forbid_inline_code() {
    shmemx_fast_1 = &kNothing;
}

} // namespace shm::capi

extern "C" void shmemx_wake(const void* dest, size_t bytes, int pe) {
    // Located once more: this is rare, and tells how waiters name the place.
    shm::Target target;
    if (shm::capi::instance && shm::capi::instance->locate(dest, bytes, pe, target))
        target.notify(bytes);
}

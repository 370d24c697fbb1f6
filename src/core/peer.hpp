// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/job.hpp"
#include "core/shared_buffers.hpp"

namespace shm {

/// What this PE knows of another one (or of itself).
struct Peer {
    std::ptrdiff_t delta; // from an address in the own heap to where this process reaches the peer's object
    PeSlot* slot;
};

/// Bytes of a peer, found from an address that the PEs have in common.
struct Target {
    std::byte* there; // where this process reaches them
    Peer* peer;
    Position position;                    // as who waits for them names them
    const SharedBuffer* shared = nullptr; // the buffer that they lie in, if not the heap

    /// Wakes those who wait for what was written: bytes of a shared buffer are everybody's.
    void notify(std::size_t bytes) const {
        if (!shared) [[likely]] {
            peer->slot->wake_up.notify(position, bytes);
            return;
        }
        for (WakeUp* wake_up : shared->wake_ups)
            wake_up->notify(position, bytes);
    }
};

} // namespace shm

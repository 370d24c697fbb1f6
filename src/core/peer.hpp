// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/job.hpp"

namespace shm {

/// What this PE knows of another one (or of itself).
struct Peer {
    std::ptrdiff_t delta; // from an address in the own heap to where this process reaches the peer's object
    PeSlot* slot;
};

/// An object of a peer, found from its symmetric address.
struct Target {
    std::byte* there; // where this process reaches it
    Peer* peer;
    Position position; // its offset in the heap
};

} // namespace shm

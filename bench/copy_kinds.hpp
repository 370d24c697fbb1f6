// SPDX-License-Identifier: Apache-2.0
// The ways one thread can copy memory on this CPU.
#pragma once

#include <cstddef>
#include <vector>

namespace shm::bench {

/// Copies like memcpy; on return the copied bytes are ordered before any later store of this thread.
using CopyFunction = void (*)(std::byte* destination, const std::byte* source, std::size_t bytes);

struct CopyKind {
    const char* name;
    CopyFunction copy;
};

/// The kinds that this CPU can run; the same list in every process of a machine.
const std::vector<CopyKind>& copy_kinds();

/// memcpy, rep movsb and the widest non-temporal kind, as far as this CPU has them.
const std::vector<CopyKind>& ring_copy_kinds();

} // namespace shm::bench

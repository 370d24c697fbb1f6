// SPDX-License-Identifier: Apache-2.0
// The contract of a kind of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/shared_memory.hpp"

namespace shm {

/// The memory behind this PE's part of the symmetric heap. Extents are in bytes from the start of the heap
/// and consist of whole granules. Used by one thread at a time.
class HeapMemory {
public:
    virtual ~HeapMemory() = default;

    /// How many bytes the heap can grow to, and the smallest unit in which its memory is taken.
    virtual std::uint64_t capacity() const = 0;
    virtual std::uint64_t granule() const = 0;

    /// What all heaps of this node together can still take.
    virtual MemoryLimit available() const = 0;

    /// Makes the memory of `extent` exist; all of it or nothing.
    virtual Result<void> take(Extent extent) = 0;
    /// Gives it back; its contents are lost.
    virtual void give_back(Extent extent) = 0;
};

/// The memory behind the node's shared buffers, at the same addresses in all its PEs: one memory, of which
/// any PE takes and gives back parts. What is not open can not be touched by this process.
class SharedRegion : public HeapMemory {
public:
    virtual std::byte* begin() const = 0;

    /// Lets this process load and store the extent, or no longer. Taken memory only.
    virtual Result<void> open(Extent extent) = 0;
    virtual void close(Extent extent) = 0;
};

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// Host memory: the heaps of a node in its node file, mapped by every PE.
#pragma once

#include <memory>

#include <sys/types.h>

#include "core/backend.hpp"
#include "core/job.hpp"
#include "core/runtime.hpp"

namespace shm::host {

class Memory final : public HeapMemory {
public:
    /// Maps the heaps of all PEs at the addresses that the PEs of the node agree on; where this process has
    /// something else there, at others.
    static Result<std::unique_ptr<Memory>> map(File node_file, ControlPages control, int my_pe,
                                               bool huge_pages);
    ~Memory() override;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// Where this PE's own heap begins.
    std::byte* own_heap() const { return window_; }
    /// Where this process sees the heap of PE `pe`.
    std::byte* heap_of(int pe) const;

    std::uint64_t capacity() const override { return layout_.heap_stride; }
    std::uint64_t granule() const override { return kGranule; }
    MemoryLimit available() const override { return available_memory(); }
    Result<void> take(Extent extent) override;
    void give_back(Extent extent) override;

private:
    // Small enough for small heaps, large enough that few allocations need a system call.
    static constexpr std::uint64_t kGranule = 64 << 10;

    Memory(File node_file, NodeLayout layout, int my_pe, int n_pes, bool huge_pages, std::byte* window);
    Extent in_file(Extent extent) const;
    bool has_node_file() const;

    File node_file_;
    dev_t device_; // identify the node file
    ino_t inode_;
    NodeLayout layout_;
    int my_pe_;
    int n_pes_;
    bool huge_pages_;
    std::byte* window_;
};

/// Memory::map, in the form that the runtime asks for.
Result<MappedHeaps> map_heaps(File node_file, ControlPages control, int my_pe, const Settings& settings);

} // namespace shm::host

// SPDX-License-Identifier: Apache-2.0
// Host memory: the heaps and the shared buffers of a node in its node file, mapped by every PE.
#pragma once

#include <memory>

#include <sys/types.h>

#include "core/backend.hpp"
#include "core/job.hpp"
#include "core/runtime.hpp"

namespace shm::host {

/// The node file, mapped over the window.
class Mapping {
public:
    /// `window` is reserved, and this object's from now on.
    static Result<std::shared_ptr<Mapping>> create(File node_file, NodeLayout layout, int my_pe, int n_pes,
                                                   std::byte* window);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    const NodeLayout& layout() const { return layout_; }
    std::byte* own_heap() const { return window_; }
    /// Where this process sees the heap of PE `pe`; for `n_pes` it is the region of shared buffers.
    std::byte* heap_of(int pe) const;

    /// The node file, or why it is not there any more.
    Result<const File*> node_file() const;

private:
    Mapping(File node_file, NodeLayout layout, int n_pes, std::byte* window);
    Result<void> map(int my_pe);

    File node_file_;
    dev_t device_; // identify the node file
    ino_t inode_;
    NodeLayout layout_;
    int n_pes_;
    std::byte* window_;
};

/// One part of the node file, as large as a heap.
class Memory : public HeapMemory {
public:
    /// The part of PE `pe`, which this process sees at `address`.
    Memory(std::shared_ptr<Mapping> mapping, int pe, std::byte* address, bool huge_pages)
        : mapping_(std::move(mapping)), file_offset_(mapping_->layout().heap_offset(pe)), address_(address),
          huge_pages_(huge_pages) {}

    std::uint64_t capacity() const override { return mapping_->layout().heap_stride; }
    std::uint64_t granule() const override { return kGranule; }
    MemoryLimit available() const override { return available_memory(); }
    Result<void> take(Extent extent) override;
    void give_back(Extent extent) override;

private:
    // Small enough for small heaps, large enough that few allocations need a system call.
    static constexpr std::uint64_t kGranule = 64 << 10;

    std::shared_ptr<Mapping> mapping_;
    std::uint64_t file_offset_;
    std::byte* address_;
    bool huge_pages_;
};

class Region final : public SharedRegion {
public:
    Region(const std::shared_ptr<Mapping>& mapping, int n_pes, bool huge_pages)
        : memory_(mapping, n_pes, mapping->heap_of(n_pes), huge_pages), begin_(mapping->heap_of(n_pes)) {}

    std::uint64_t capacity() const override { return memory_.capacity(); }
    std::uint64_t granule() const override { return memory_.granule(); }
    MemoryLimit available() const override { return memory_.available(); }
    Result<void> take(Extent extent) override { return memory_.take(extent); }
    void give_back(Extent extent) override { memory_.give_back(extent); }
    std::byte* begin() const override { return begin_; }
    Result<void> open(Extent extent) override;
    void close(Extent extent) override;

private:
    Memory memory_;
    std::byte* begin_;
};

/// All of it, in the form that the runtime asks for.
Result<MappedHeaps> map_heaps(File node_file, const JobHeader& header, int my_pe, const Window& window,
                              const Settings& settings);

} // namespace shm::host

// SPDX-License-Identifier: Apache-2.0
#include "backend/host/memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/anonymous_file.hpp"
#include "core/window.hpp"

namespace shm::host {

Mapping::Mapping(File node_file, NodeLayout layout, int n_pes, std::byte* window)
    : node_file_(std::move(node_file)), layout_(layout), n_pes_(n_pes), window_(window) {
    struct stat file {};
    ::fstat(node_file_.descriptor(), &file);
    device_ = file.st_dev;
    inode_ = file.st_ino;
}

Result<std::shared_ptr<Mapping>> Mapping::create(File node_file, NodeLayout layout, int my_pe, int n_pes,
                                                 std::byte* window) {
    std::shared_ptr<Mapping> mapping(new Mapping(std::move(node_file), layout, n_pes, window));
    if (auto mapped = mapping->map(my_pe); !mapped)
        return fail("cannot map the heaps of {} PEs", n_pes).because(mapped.error());
    return mapping;
}

Result<void> Mapping::map(int my_pe) {
    std::uint64_t own = layout_.heap_offset(my_pe);
    Extent all{layout_.heap_offset(0), layout_.heap_offset(n_pes_)};
    if (auto mapped = map_over(own_heap(), node_file_, {own, own + layout_.heap_stride}); !mapped)
        return mapped;
    Extent with_shared{all.begin, layout_.file_bytes(n_pes_)};
    if (auto mapped = map_over(heap_of(0), node_file_, with_shared); !mapped)
        return mapped;
    // A core file needs one copy of this PE's heap, not everybody's.
    ::madvise(heap_of(0), all.bytes(), MADV_DONTDUMP);
    if (::mprotect(heap_of(n_pes_), layout_.heap_stride, PROT_NONE) != 0)
        return system_error();
    return {};
}

Mapping::~Mapping() {
    unmap(window_, window_bytes(layout_.heap_stride, n_pes_));
    if (!node_file())
        node_file_.release(); // not the library's to close any more
}

std::byte* Mapping::heap_of(int pe) const {
    return window_ + layout_.heap_stride * (static_cast<std::uint64_t>(pe) + 1);
}

/// Programs close descriptors that they do not know, and open files under the same numbers.
Result<const File*> Mapping::node_file() const {
    struct stat now {};
    if (::fstat(node_file_.descriptor(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_)
        return &node_file_;
    return fail("the program has closed descriptor {}, which the library keeps for the heap",
                node_file_.descriptor());
}

MemoryLimit Memory::available() const {
    MemoryLimit available = available_memory();
    auto file = mapping_->node_file();
    if (!file)
        return available;
    MemoryLimit room = file_system_room(**file);
    return room.bytes < available.bytes ? room : available;
}

Result<void> Memory::take(Extent extent) {
    auto file = mapping_->node_file();
    if (!file)
        return file.error();
    return take_pages(**file, {file_offset_ + extent.begin, file_offset_ + extent.end},
                      huge_pages_ ? address_ + extent.begin : nullptr);
}

void Memory::give_back(Extent extent) {
    // Through the mapping, which is the heap's for sure.
    ::madvise(address_ + extent.begin, extent.bytes(), MADV_REMOVE);
}

Result<void> Region::open(Extent extent) {
    if (::mprotect(begin_ + extent.begin, extent.bytes(), PROT_READ | PROT_WRITE) != 0)
        return fail("cannot map a shared buffer (too many mappings? see vm.max_map_count)")
            .because(system_error());
    return {};
}

void Region::close(Extent extent) {
    ::mprotect(begin_ + extent.begin, extent.bytes(), PROT_NONE);
}

Result<MappedHeaps> map_heaps(File node_file, const JobHeader& header, int my_pe, const Window& window,
                              const Settings& settings) {
    int n_pes = header.n_pes;
    auto mapping = Mapping::create(std::move(node_file), header.layout, my_pe, n_pes, window.begin);
    if (!mapping)
        return mapping.error();
    MappedHeaps heaps;
    heaps.own = (*mapping)->own_heap();
    for (int pe = 0; pe < n_pes; ++pe)
        heaps.of_pe.push_back((*mapping)->heap_of(pe));
    heaps.memory = std::make_unique<Memory>(*mapping, my_pe, heaps.own, settings.huge_pages);
    if (window.common)
        heaps.region = std::make_unique<Region>(*mapping, n_pes, settings.huge_pages);
    return heaps;
}

} // namespace shm::host

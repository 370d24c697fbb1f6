// SPDX-License-Identifier: Apache-2.0
#include "backend/host/memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/window.hpp"

namespace shm::host {
namespace {

std::byte* address(std::uint64_t value) {
    return reinterpret_cast<std::byte*>(value);
}

/// Addresses for the window: the agreed ones, or the first choice of whoever comes first. Where a process has
/// something else there it takes others; PEs then work, with different addresses.
Result<std::byte*> reserve_window(std::atomic<std::uint64_t>& agreed, std::uint64_t bytes) {
    // relaxed: an address carries no data.
    std::uint64_t wanted = agreed.load(std::memory_order_relaxed);
    auto window = reserve_addresses(address(wanted == 0 ? kWindowBase : wanted), bytes);
    if (!window)
        window = reserve_addresses(nullptr, bytes, kWindowAlignment);
    if (!window)
        return window.error();
    auto here = reinterpret_cast<std::uint64_t>(*window);
    wanted = 0; // what others agreed on stays, even where this process cannot follow
    if (agreed.compare_exchange_strong(wanted, here, std::memory_order_relaxed) || wanted == here)
        return window;
    // Another PE was first, with other addresses: follow it if possible.
    auto theirs = reserve_addresses(address(wanted), bytes);
    if (!theirs)
        return window;
    unmap(*window, bytes);
    return theirs;
}

} // namespace

Memory::Memory(File node_file, NodeLayout layout, int my_pe, int n_pes, bool huge_pages, std::byte* window)
    : node_file_(std::move(node_file)), layout_(layout), my_pe_(my_pe), n_pes_(n_pes),
      huge_pages_(huge_pages), window_(window) {
    struct stat file {};
    ::fstat(node_file_.descriptor(), &file);
    device_ = file.st_dev;
    inode_ = file.st_ino;
}

Result<std::unique_ptr<Memory>> Memory::map(File node_file, ControlPages control, int my_pe,
                                            bool huge_pages) {
    JobHeader& header = control.header();
    auto window = reserve_window(header.window_base, window_bytes(header.layout.heap_stride, header.n_pes));
    if (!window)
        return fail("cannot map the heaps of {} PEs", header.n_pes).because(window.error());
    std::unique_ptr<Memory> memory(
        new Memory(std::move(node_file), header.layout, my_pe, header.n_pes, huge_pages, *window));
    Extent own = memory->in_file({0, header.layout.heap_stride});
    Extent all{header.layout.heap_offset(0), header.layout.file_bytes(header.n_pes)};
    for (const Result<void>& mapped : {map_over(memory->own_heap(), memory->node_file_, own),
                                       map_over(memory->heap_of(0), memory->node_file_, all)})
        if (!mapped)
            return fail("cannot map the heaps of {} PEs", header.n_pes).because(mapped.error());
    // A core file needs one copy of this PE's heap, not everybody's.
    ::madvise(memory->heap_of(0), all.bytes(), MADV_DONTDUMP);
    return memory;
}

Memory::~Memory() {
    unmap(window_, window_bytes(layout_.heap_stride, n_pes_));
    if (!has_node_file())
        node_file_.release(); // not the library's to close any more
}

std::byte* Memory::heap_of(int pe) const {
    return window_ + layout_.heap_stride * (static_cast<std::uint64_t>(pe) + 1);
}

Extent Memory::in_file(Extent extent) const {
    std::uint64_t start = layout_.heap_offset(my_pe_);
    return {start + extent.begin, start + extent.end};
}

/// Programs close descriptors that they do not know, and open files under the same numbers.
bool Memory::has_node_file() const {
    struct stat now {};
    return ::fstat(node_file_.descriptor(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
}

Result<void> Memory::take(Extent extent) {
    if (!has_node_file())
        return fail("the program has closed descriptor {}, which the library keeps for the heap",
                    node_file_.descriptor());
    return take_pages(node_file_, in_file(extent), huge_pages_ ? own_heap() + extent.begin : nullptr);
}

void Memory::give_back(Extent extent) {
    // Through the mapping, which is the heap's for sure.
    ::madvise(own_heap() + extent.begin, extent.bytes(), MADV_REMOVE);
}

Result<MappedHeaps> map_heaps(File node_file, ControlPages control, int my_pe, const Settings& settings) {
    auto memory = Memory::map(std::move(node_file), control, my_pe, settings.huge_pages);
    if (!memory)
        return memory.error();
    MappedHeaps heaps;
    heaps.own = (*memory)->own_heap();
    for (int pe = 0; pe < control.header().n_pes; ++pe)
        heaps.of_pe.push_back((*memory)->heap_of(pe));
    heaps.memory = std::move(*memory);
    return heaps;
}

} // namespace shm::host

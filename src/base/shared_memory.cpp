// SPDX-License-Identifier: Apache-2.0
#include "base/shared_memory.hpp"

#include <algorithm>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace shm {
namespace {

// Taken in pieces, so that a failure far into a large request has not exhausted the machine first.
constexpr std::uint64_t kPiece = std::uint64_t{64} << 20;

constexpr off_t offset(std::uint64_t value) {
    return static_cast<off_t>(value);
}

Result<void> allocate(const File& file, Extent extent) {
    while (::fallocate(file.descriptor(), FALLOC_FL_KEEP_SIZE, offset(extent.begin),
                       offset(extent.bytes())) != 0)
        if (errno != EINTR)
            return fail("cannot take {} bytes of memory", extent.bytes()).because(system_error());
    return {};
}

Result<void> take_piece(const File& file, Extent piece, std::byte* mapped) {
    Extent blocks{round_up(piece.begin, kHugePage), round_down(piece.end, kHugePage)};
    if (mapped && blocks.begin < blocks.end &&
        take_huge_pages(file, blocks, mapped + (blocks.begin - piece.begin))) {
        if (piece.begin < blocks.begin)
            if (auto head = allocate(file, {piece.begin, blocks.begin}); !head)
                return head;
        if (blocks.end < piece.end)
            return allocate(file, {blocks.end, piece.end});
        return {};
    }
    return allocate(file, piece);
}

/// For messages.
std::string address_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return {};
    return format_text(" (ulimit -v is {} bytes: raise it)", limit.rlim_cur);
}

} // namespace

Result<void> take_huge_pages(const File& file, Extent extent, std::byte* mapped) {
    // One small page in each block, then the kernel collapses each block into one huge page: four times as
    // fast as taking all small pages.
    for (std::uint64_t block = extent.begin; block < extent.end; block += kHugePage)
        if (auto taken = allocate(file, {block, block + 1}); !taken)
            return taken;
    if (::madvise(mapped, extent.bytes(), MADV_COLLAPSE) != 0)
        return system_error();
    return {};
}

Result<void> take_pages(const File& file, Extent extent, std::byte* mapped) {
    for (std::uint64_t begin = extent.begin; begin < extent.end;) {
        std::uint64_t end = std::min(extent.end, round_down(begin, kPiece) + kPiece);
        if (auto taken = take_piece(file, {begin, end}, mapped ? mapped + (begin - extent.begin) : nullptr);
            !taken) {
            give_back_pages(file, {extent.begin, end});
            return taken;
        }
        begin = end;
    }
    return {};
}

void give_back_pages(const File& file, Extent extent) {
    ::fallocate(file.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset(extent.begin),
                offset(extent.bytes()));
}

Result<std::byte*> reserve_addresses(std::byte* wanted, std::size_t bytes, std::size_t alignment) {
    // Anywhere: with room to round up.
    std::size_t room = wanted ? bytes : bytes + alignment;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (wanted ? MAP_FIXED_NOREPLACE : 0);
    void* start = ::mmap(wanted, room, PROT_NONE, flags, -1, 0);
    if (start == MAP_FAILED) {
        int error = errno;
        return fail("cannot reserve {} bytes of addresses{}", bytes, address_limit())
            .because(system_error(error));
    }
    if (wanted)
        return static_cast<std::byte*>(start);
    auto first = reinterpret_cast<std::uintptr_t>(start);
    auto aligned = static_cast<std::uintptr_t>(round_up(first, alignment));
    if (aligned > first)
        unmap(static_cast<std::byte*>(start), aligned - first);
    unmap(reinterpret_cast<std::byte*>(aligned) + bytes, first + alignment - aligned);
    return reinterpret_cast<std::byte*>(aligned);
}

Result<void> map_over(std::byte* reserved, const File& file, Extent extent) {
    void* mapped = ::mmap(reserved, extent.bytes(), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file.descriptor(), offset(extent.begin));
    if (mapped == MAP_FAILED)
        return fail("cannot map {} bytes of shared memory", extent.bytes()).because(system_error());
    return {};
}

void unmap(std::byte* start, std::size_t bytes) {
    if (bytes > 0)
        ::munmap(start, bytes);
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "base/shared_memory.hpp"

#include <algorithm>

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

/// One small page in each 2 MiB block, then the kernel collapses each block into one huge page: four times as
/// fast as taking all small pages. False when it did not, for any reason; `extent` consists of whole blocks.
bool take_huge_pages(const File& file, Extent extent, std::byte* mapped) {
    for (std::uint64_t block = extent.begin; block < extent.end; block += kHugePage)
        if (!allocate(file, {block, block + 1}))
            return false;
    return ::madvise(mapped, extent.bytes(), MADV_COLLAPSE) == 0;
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

} // namespace

Result<File> create_anonymous_file(const char* name, std::uint64_t bytes) {
    File file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file)
        return fail("cannot create anonymous memory (memfd_create)").because(system_error());
    rlimit limit{};
    // Asked first: exceeding it is answered by a signal.
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
        return fail("a file of {} bytes exceeds the file size limit of {} bytes (ulimit -f)", bytes,
                    limit.rlim_cur);
    if (::ftruncate(file.descriptor(), offset(bytes)) != 0)
        return fail("cannot size anonymous memory to {} bytes", bytes).because(system_error());
    if (::fcntl(file.descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return fail("cannot seal anonymous memory").because(system_error());
    return file;
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
    if (start == MAP_FAILED)
        return fail("cannot reserve {} bytes of addresses", bytes).because(system_error());
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

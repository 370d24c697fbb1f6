// SPDX-License-Identifier: Apache-2.0
// The pages of an anonymous file, and where it is mapped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/file.hpp"
#include "base/result.hpp"

namespace shm {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}
constexpr std::uint64_t round_down(std::uint64_t value, std::uint64_t multiple) {
    return value / multiple * multiple;
}

/// A range of a file, in bytes.
struct Extent {
    std::uint64_t begin;
    std::uint64_t end;

    std::uint64_t bytes() const { return end - begin; }
};

/// Makes the pages of `extent` exist, so that touching them cannot fail; all or none. `mapped` is where
/// `extent.begin` is mapped in this process; with it, whole 2 MiB blocks become huge pages where the kernel
/// can.
Result<void> take_pages(const File& file, Extent extent, std::byte* mapped);

/// Likewise, with huge pages only; `extent` consists of whole 2 MiB blocks. After a failure some pages may be
/// taken.
Result<void> take_huge_pages(const File& file, Extent extent, std::byte* mapped);

/// Gives pages back to the system; they read as zero when taken again.
void give_back_pages(const File& file, Extent extent);

/// Address space, without memory. `wanted` is null for anywhere that is aligned so; else it is there or
/// fails.
Result<std::byte*> reserve_addresses(std::byte* wanted, std::size_t bytes, std::size_t alignment = kHugePage);
/// Maps part of a file over reserved addresses.
Result<void> map_over(std::byte* reserved, const File& file, Extent extent);
void unmap(std::byte* start, std::size_t bytes);

} // namespace shm

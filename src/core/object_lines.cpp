// SPDX-License-Identifier: Apache-2.0
#include "core/object_lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/mman.h>

namespace shm {
namespace {

constexpr std::uint64_t kPage = 64 << 10; // a multiple of every page size

std::byte* bytes_of(std::uint8_t* lines) {
    return reinterpret_cast<std::byte*>(lines);
}

} // namespace

Result<ObjectLines> ObjectLines::create(std::uint64_t capacity) {
    capacity = round_down(capacity, kLine);
    if (capacity == 0)
        return ObjectLines(nullptr, 0);
    // Readable, all zero: costs nothing. What is made writable later counts against the system's limits.
    void* start =
        ::mmap(nullptr, capacity / kLine, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return fail("cannot reserve {} bytes of addresses", capacity / kLine).because(system_error());
    return ObjectLines(static_cast<std::uint8_t*>(start), capacity);
}

ObjectLines::ObjectLines(ObjectLines&& other) noexcept
    : lines_(std::exchange(other.lines_, nullptr)), capacity_(std::exchange(other.capacity_, 0)),
      writable_(other.writable_) {}

ObjectLines::~ObjectLines() {
    unmap(bytes_of(lines_), n_lines());
}

bool ObjectLines::add(Extent object) {
    std::uint64_t end = (object.end + kLine - 1) / kLine;
    if (end > writable_) {
        std::uint64_t writable = std::min(round_up(end, kPage), n_lines());
        if (::mprotect(lines_ + writable_, writable - writable_, PROT_READ | PROT_WRITE) != 0)
            return false;
        writable_ = writable;
    }
    std::uint64_t begin = object.begin / kLine;
    std::memset(lines_ + begin, kFull, object.end / kLine - begin);
    if (object.end % kLine != 0)
        lines_[object.end / kLine] = static_cast<std::uint8_t>(kByte * (object.end % kLine));
    lines_[begin] |= kBegin;
    return true;
}

void ObjectLines::remove(Extent object) {
    std::uint64_t begin = object.begin / kLine;
    std::uint64_t end = (object.end + kLine - 1) / kLine;
    Extent pages{round_up(begin, kPage), round_down(end, kPage)};
    if (pages.begin >= pages.end) {
        std::memset(lines_ + begin, 0, end - begin);
        return;
    }
    std::memset(lines_ + begin, 0, pages.begin - begin);
    ::madvise(lines_ + pages.begin, pages.bytes(), MADV_DONTNEED); // zero, and given back
    std::memset(lines_ + pages.end, 0, end - pages.end);
}

/// The lines behind the first one of a range: full ones that begin no object, and a rest.
bool ObjectLines::hold_on(std::uint64_t line, std::uint64_t bytes) const {
    std::uint64_t full = bytes / kLine;
    std::uint64_t rest = bytes % kLine;
    if (line + full + (rest > 0) > n_lines())
        return false;
    unsigned different = 0;
    for (std::uint64_t next = line; next < line + full; ++next)
        different |= lines_[next] ^ static_cast<unsigned>(kFull);
    if (different != 0)
        return false;
    return rest == 0 || (lines_[line + full] % kByte != kBegin && lines_[line + full] >= kByte * rest);
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "posix/segment.hpp"

#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace shm::bench {

namespace {

struct SegmentName {
    char text[64];
};

SegmentName new_name() {
    static int count = 0;
    SegmentName name{};
    std::snprintf(name.text, sizeof name.text, "/shmem-bench-%d-%d", static_cast<int>(getpid()), ++count);
    return name;
}

constexpr int kCreate = O_CREAT | O_EXCL | O_RDWR;
constexpr mode_t kOwnerOnly = 0600;

} // namespace

Segment::Segment(Segment&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Segment::~Segment() {
    if (start_ != nullptr)
        munmap(start_, bytes_);
}

Segment Segment::map(int descriptor, std::size_t bytes, int flags) {
    Segment segment;
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, descriptor, 0);
    if (start != MAP_FAILED) {
        segment.start_ = static_cast<std::byte*>(start);
        segment.bytes_ = bytes;
    }
    return segment;
}

Segment Segment::create(std::size_t bytes) {
    const SegmentName name = new_name();
    const int descriptor = shm_open(name.text, kCreate, kOwnerOnly);
    if (descriptor < 0)
        return {};
    shm_unlink(name.text);
    Segment segment;
    if (ftruncate(descriptor, static_cast<off_t>(bytes)) == 0)
        segment = map(descriptor, bytes, 0);
    close(descriptor);
    return segment;
}

Segment Segment::create_shared(Pair& pair, std::size_t bytes) {
    SegmentName name = new_name();
    int descriptor = pair.sends() ? shm_open(name.text, kCreate, kOwnerOnly) : -1;
    const SegmentName theirs = pair.exchange(name);
    if (!pair.sends())
        descriptor = shm_open(theirs.text, O_RDWR, 0);
    pair.meet();
    bool good = descriptor >= 0;
    if (pair.sends()) {
        shm_unlink(name.text);
        // Takes the pages now: where there are too few, this fails, while touching them would raise SIGBUS.
        good = good && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
               posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0;
    }
    Segment segment;
    if (pair.exchange(good) && good)
        segment = map(descriptor, bytes, MAP_POPULATE);
    if (descriptor >= 0)
        close(descriptor);
    const bool both = pair.exchange(static_cast<bool>(segment)) && segment;
    return both ? std::move(segment) : Segment();
}

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
#include "posix/allocation.hpp"

#include <memory>
#include <utility>

#include "measure/clock.hpp"
#include "posix/private_buffer.hpp"
#include "posix/segment.hpp"

namespace shm::bench {

namespace {

constexpr double kGiB = 1 << 30;

double ms_per_gib(std::int64_t nanoseconds, std::size_t bytes) {
    return static_cast<double>(nanoseconds) / 1e6 * kGiB / static_cast<double>(bytes);
}

/// Runs `allocate`, which returns something that frees its memory when it goes, and times the last run. Those
/// before it wake memory that the host of a virtual machine may have taken back, which can cost many times
/// what the kernel's own work costs; the last one gets just that memory.
template <typename Allocate>
double time_allocation(std::size_t bytes, Allocate allocate) {
    std::int64_t start = 0, end = 0;
    for (int run = 0; run < 3; ++run) {
        start = now();
        const auto memory = allocate();
        end = now();
    }
    return ms_per_gib(end - start, bytes);
}

Segment touched_segment(std::size_t bytes) {
    Segment segment = Segment::create(bytes);
    if (segment)
        touch_pages(segment.start(), bytes);
    return segment;
}

struct FreeHeapBuffer {
    void operator()(std::byte* buffer) const { shmem_free(buffer); }
};

std::unique_ptr<std::byte, FreeHeapBuffer> touched_heap_buffer(std::size_t bytes) {
    auto* buffer = static_cast<std::byte*>(shmem_malloc(bytes));
    if (buffer != nullptr)
        touch_pages(buffer, bytes);
    return std::unique_ptr<std::byte, FreeHeapBuffer>(buffer);
}

void measure_alone(const Plan& plan, Measurements& samples) {
    const std::size_t bytes = plan.buffer_bytes();
    if (plan.posix) {
        samples.at(kAllocation, kArticle).add(time_allocation(bytes, [&] { return touched_segment(bytes); }));
        samples.at(kAllocation, kTuned).add(time_allocation(bytes, [&] {
            return std::make_pair(touched_segment(ring_segment_bytes(plan.ring_bytes)),
                                  PrivateBuffer(bytes, Pages::ordinary));
        }));
    }
    samples.at(kAllocation, kLimit).add(time_allocation(bytes, [&] {
        return PrivateBuffer(bytes, Pages::huge);
    }));
}

} // namespace

void measure_allocation(const Job& job, const Plan& plan, Measurements& samples, Progress& progress) {
    const std::size_t bytes = plan.buffer_bytes();
    for (int round = 0; round < plan.allocation_rounds; ++round) {
        if (job.me() == 0)
            measure_alone(plan, samples);
        shmem_barrier_all();
        samples.at(kAllocation, kShmem).add(time_allocation(bytes, [&] {
            return touched_heap_buffer(bytes);
        }));
        progress.step("allocation and first touch");
    }
}

} // namespace shm::bench

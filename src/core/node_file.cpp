// SPDX-License-Identifier: Apache-2.0
#include "core/node_file.hpp"

#include <algorithm>
#include <limits>

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/anonymous_file.hpp"
#include "base/limits.hpp"
#include "base/shared_memory.hpp"
#include "core/window.hpp"

namespace shm {
namespace {

std::uint64_t soft_limit(__rlimit_resource resource) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::uint64_t>::max();
    return limit.rlim_cur;
}

/// Whether a process that inherits this one's limits can map the window.
bool fits_addresses(std::uint64_t bytes) {
    auto start = reserve_addresses(nullptr, bytes);
    if (!start)
        return false;
    unmap(*start, bytes);
    return true;
}

/// Whether the sizes agree with each other and with the length of the file, so that all that is mapped by
/// them exists: the header may come from anybody who set the job's variables.
bool is_consistent(const JobHeader& header, std::uint64_t file_bytes) {
    constexpr int kMostPes = 1 << 20;
    if (header.n_pes < 1 || header.n_pes > kMostPes)
        return false;
    auto pes = static_cast<std::uint64_t>(header.n_pes);
    std::uint64_t control = header.layout.control_bytes;
    std::uint64_t stride = header.layout.heap_stride;
    return control % kHugePage == 0 && control >= ControlPages::bytes(header.n_pes) &&
           control <= file_bytes && stride % kHugePage == 0 && stride > 0 &&
           stride <= (file_bytes - control) / (pes + 1) &&
           stride <= kLargestWindow / window_parts(header.n_pes);
}

} // namespace

Result<NodeLayout> plan_node_layout(int n_pes) {
    auto pes = static_cast<std::uint64_t>(n_pes);
    NodeLayout layout{round_up(ControlPages::bytes(n_pes), kHugePage), 0};
    std::uint64_t stride = std::min(machine_memory(), kLargestWindow / window_parts(n_pes));
    auto bound_by = [&](HeapBound bound, std::uint64_t most) {
        if (most < stride) {
            stride = most;
            layout.bound = bound;
        }
    };
    std::uint64_t file_limit = soft_limit(RLIMIT_FSIZE);
    bound_by(HeapBound::files, (file_limit - std::min(file_limit, layout.control_bytes)) / (pes + 1));
    // Under a limit on addresses, half of it stays for the program.
    bound_by(HeapBound::addresses, soft_limit(RLIMIT_AS) / 2 / window_parts(n_pes));
    stride = round_down(stride, kHugePage);
    while (stride > 0 && !fits_addresses(window_bytes(stride, n_pes)))
        bound_by(HeapBound::addresses, round_down(stride / 2, kHugePage));
    if (stride == 0)
        return fail("{} leaves no room for the heaps of {} PEs: raise it",
                    layout.bound == HeapBound::files ? "the limit on file size (ulimit -f)"
                                                     : "the limit on addresses (ulimit -v)",
                    n_pes);
    layout.heap_stride = stride;
    return layout;
}

Result<File> create_node_file(int n_pes, std::uint64_t job_id) {
    auto layout = plan_node_layout(n_pes);
    if (!layout)
        return layout.error();
    auto file = create_anonymous_file("shmem-node", layout->file_bytes(n_pes));
    if (!file)
        return file.error();
    if (auto taken = take_pages(*file, {0, ControlPages::bytes(n_pes)}, nullptr); !taken)
        return fail("cannot make the control pages").because(taken.error());
    void* start = ::mmap(nullptr, ControlPages::bytes(n_pes), PROT_READ | PROT_WRITE, MAP_SHARED,
                         file->descriptor(), 0);
    if (start == MAP_FAILED)
        return fail("cannot map the control pages").because(system_error());
    // Every other word begins as zero, which the file is.
    JobHeader& header = ControlPages(start).header();
    header.magic = kJobMagic;
    header.version = kJobVersion;
    header.n_pes = n_pes;
    header.job_id = job_id;
    header.layout = *layout;
    header.shared_buffers.initialise();
    ::munmap(start, ControlPages::bytes(n_pes));
    return file;
}

std::uint64_t random_job_id() {
    std::uint64_t id = 0;
    while (id == 0)
        if (::getrandom(&id, sizeof id, 0) != sizeof id)
            id = static_cast<std::uint64_t>(::getpid());
    return id;
}

std::unique_ptr<JobHeader> read_job_header(const File& node_file) {
    constexpr std::size_t kBytes = offsetof(JobHeader, global_exit);
    auto header = std::make_unique<JobHeader>();
    bool complete = ::pread(node_file.descriptor(), header.get(), kBytes, 0) == static_cast<ssize_t>(kBytes);
    return complete && header->magic == kJobMagic ? std::move(header) : nullptr;
}

Result<ControlPages> map_control_pages(const File& node_file) {
    auto found = read_job_header(node_file);
    struct stat file {};
    if (!found || ::fstat(node_file.descriptor(), &file) != 0 || !S_ISREG(file.st_mode))
        return fail("descriptor {} is not the node file of a job", node_file.descriptor());
    const JobHeader& header = *found;
    if (header.version != kJobVersion)
        return fail("the job was started by a launcher of another version ({}, this library has {})",
                    header.version, kJobVersion);
    if (!is_consistent(header, static_cast<std::uint64_t>(file.st_size)))
        return fail(
            "the header of the node file is damaged: {} PEs with {} bytes each behind {} bytes do not fit "
            "its {} bytes",
            header.n_pes, header.layout.heap_stride, header.layout.control_bytes, file.st_size);
    void* start = ::mmap(nullptr, header.layout.control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                         node_file.descriptor(), 0);
    if (start == MAP_FAILED)
        return fail("cannot map the control pages").because(system_error());
    return ControlPages(start);
}

void unmap_control_pages(ControlPages pages) {
    ::munmap(&pages.header(), pages.header().layout.control_bytes);
}

} // namespace shm

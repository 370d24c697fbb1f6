// SPDX-License-Identifier: Apache-2.0
#include "core/node_file.hpp"

#include <algorithm>
#include <limits>

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

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

} // namespace

Result<NodeLayout> plan_node_layout(int n_pes) {
    auto pes = static_cast<std::uint64_t>(n_pes);
    NodeLayout layout{round_up(ControlPages::bytes(n_pes), kHugePage), 0};
    std::uint64_t stride = std::min(machine_memory(), kLargestWindow / window_parts(n_pes));
    std::uint64_t file_limit = soft_limit(RLIMIT_FSIZE);
    stride = std::min(stride, (file_limit - std::min(file_limit, layout.control_bytes)) / (pes + 1));
    // Under a limit on addresses, half of it stays for the program.
    stride = std::min(stride, soft_limit(RLIMIT_AS) / 2 / window_parts(n_pes));
    stride = round_down(stride, kHugePage);
    while (stride > 0 && !fits_addresses(window_bytes(stride, n_pes)))
        stride = round_down(stride / 2, kHugePage);
    if (stride == 0)
        return fail(
            "the limits on file size (ulimit -f) or addresses (ulimit -v) leave no room for the heaps of {} "
            "PEs: raise them",
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

Result<ControlPages> map_control_pages(const File& node_file) {
    JobHeader header{};
    if (::pread(node_file.descriptor(), &header, sizeof header, 0) != sizeof header ||
        header.magic != kJobMagic)
        return fail("descriptor {} is not the node file of a job", node_file.descriptor());
    if (header.version != kJobVersion)
        return fail("the job was started by a launcher of another version ({}, this library has {})",
                    header.version, kJobVersion);
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

// SPDX-License-Identifier: Apache-2.0
#include "posix/job.hpp"

#include <cstdio>
#include <cstdlib>

#include <sched.h>
#include <unistd.h>

namespace shm::bench {

namespace {

PeInfo describe_pe() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    sched_getaffinity(0, sizeof usable, &usable);
    return {getpid(), sched_getcpu(), CPU_COUNT(&usable)};
}

} // namespace

Job::Job()
    : me_(shmem_my_pe()), n_pes_(shmem_n_pes()),
      area_(static_cast<SymmetricArea*>(shmem_calloc(1, sizeof(SymmetricArea)))) {
    if (area_ == nullptr) {
        if (me_ == 0)
            std::fputs("shmem-bench: no memory for its own bookkeeping\n", stderr);
        std::exit(EXIT_FAILURE);
    }
    for (int pe = 0; pe < n_pes_; ++pe)
        pes_.push_back(broadcast(describe_pe(), pe));
}

Job::~Job() {
    shmem_free(area_);
}

std::vector<pid_t> Job::processes() const {
    std::vector<pid_t> processes;
    for (const PeInfo& pe : pes_)
        processes.push_back(pe.process);
    return processes;
}

void Job::broadcast_bytes(void* bytes, std::size_t count, int from) {
    shmem_barrier_all();
    if (me_ == from) {
        for (int pe = 0; pe < n_pes_; ++pe)
            shmem_putmem(area_->announcement, bytes, count, pe);
    }
    shmem_barrier_all();
    std::memcpy(bytes, area_->announcement, count);
}

} // namespace shm::bench

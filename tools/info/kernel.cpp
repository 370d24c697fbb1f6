// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/asymmetric_fence.hpp"
#include "base/file.hpp"
#include "base/words.hpp"
#include "info/sections.hpp"

namespace shm::info {
namespace {

Result<void> outcome(bool works) {
    if (!works)
        return system_error();
    return {};
}

Result<void> try_anonymous_memory() {
    File file(::memfd_create("shmem-info", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    return outcome(file && ::ftruncate(file.descriptor(), 1) == 0 &&
                   ::fcntl(file.descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
}

Result<void> try_pidfd() {
    File process(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    return outcome(static_cast<bool>(process));
}

Fact posix_shared_memory() {
    struct statvfs folder {};
    if (::statvfs("/dev/shm", &folder) != 0)
        return {"dev_shm_bytes", "/dev/shm", nullptr, "missing: not needed"};
    std::uint64_t bytes = static_cast<std::uint64_t>(folder.f_blocks) * folder.f_frsize;
    return {"dev_shm_bytes", "/dev/shm", bytes, bytes_text(bytes) + ": not needed"};
}

} // namespace

Section kernel_section() {
    return {
        "kernel",
        "What the kernel lets this process do",
        {attempt("memfd", "anonymous memory (memfd, sealed)", try_anonymous_memory(),
                 "The heaps are made of such memory; --check tells whether a job can run all the same. Does "
                 "a seccomp filter forbid it?"),
         attempt("membarrier", "fences from afar (membarrier)", outcome(asymmetric_fence::register_process()),
                 "Every put pays a fence: all works, and small puts are slower."),
         attempt("pidfd_open", "process handles (pidfd_open)", try_pidfd(),
                 "This version does without them."),
         attempt("proc", "/proc", outcome(::access("/proc/self/fd", R_OK) == 0),
                 "PEs cannot tie their life to the launcher's, messages know less, and running jobs "
                 "cannot be listed."),
         posix_shared_memory()}};
}

} // namespace shm::info

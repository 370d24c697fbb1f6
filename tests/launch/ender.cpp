// SPDX-License-Identifier: Apache-2.0
// PEs that end as the first argument says: PE 1 alone, or all with a second argument "all". The others leave
// in order, or wait for it. See pe_ends_test.py.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shmem.hpp"

namespace {

/// Takes memory until the kernel has none left.
void use_all_memory() {
    constexpr std::size_t kPiece = std::size_t{1} << 24;
    for (;;) {
        void* piece = ::mmap(nullptr, kPiece, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (piece == MAP_FAILED)
            std::_Exit(9);
    }
}

/// A handle that frees at exit, which is collective.
void hold_static_buffer() {
    static shmem::Buffer buffer = shmem::alloc(64);
}

void fork_a_child_that_exits() {
    if (::fork() == 0)
        std::exit(0);
    ::wait(nullptr);
}

/// PE 1 finalizes, which others take for the barrier that they are in, and is missing at the free.
void leave_domain() {
    auto shared = shmem::alloc(64, {0, 1, 2});
    if (shmem_my_pe() == 1)
        std::_Exit((shmem_finalize(), 0));
    shmem_barrier_all();
}

void end(std::string_view how) {
    volatile int* nowhere = nullptr;
    if (how == "exit-0")
        std::exit(0);
    if (how == "exit-3")
        std::exit(3);
    if (how == "_exit-0")
        ::_exit(0);
    if (how == "_exit-3")
        ::_exit(3);
    if (how == "abort")
        std::abort();
    if (how == "segfault")
        *nowhere = 1;
    if (how == "throw")
        throw std::runtime_error("thrown by the program");
    if (how == "mistake")
        shmem::put(&how, std::string_view(), 99); // throws shmem::Error
    if (how == "kill")
        ::raise(SIGKILL);
    if (how == "use-all-memory")
        use_all_memory();
    if (how == "global-exit")
        shmem_global_exit(10 + shmem_my_pe());
    if (how == "global-exit-0")
        shmem::global_exit(0);
    if (how == "fork")
        fork_a_child_that_exits();
}

} // namespace

int main(int argc, char** argv) {
    std::string_view how = argc > 1 ? argv[1] : "";
    bool all = argc > 2 && std::strcmp(argv[2], "all") == 0;
    if (how == "finalize-at-exit")
        std::atexit(shmem_finalize); // runs behind what shmem_init registers
    shmem_init();
    if (how == "leave-domain")
        leave_domain();
    if (how == "finalize-at-exit")
        return 0;
    if (how.starts_with("global-exit"))
        hold_static_buffer();
    std::atexit([] { std::puts("exit handlers ran"); });
    shmem_barrier_all();
    if (all || shmem_my_pe() == 1 || shmem_n_pes() == 1)
        end(how);
    shmem_finalize();
}

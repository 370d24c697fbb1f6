// SPDX-License-Identifier: Apache-2.0
// Run with at least two PEs, the last of which has memory of its own where the library would have its window.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <sys/mman.h>

#include "core/window.hpp"
#include "shmem.h"
#include "shmemx.h"

namespace {

/// Takes the first choices of addresses, in this process alone.
void take_addresses(const char* number_of_last) {
    if (std::getenv("SHMEM_JOB_PE") != nullptr &&
        std::string_view(std::getenv("SHMEM_JOB_PE")) != number_of_last)
        return;
    for (std::uintptr_t begin : {shm::kWindowBase, shm::kWindowBase + (std::uintptr_t{1} << 40)})
        ::mmap(reinterpret_cast<void*>(begin), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0);
}

void require(bool condition, const char* what) {
    if (condition)
        return;
    std::fprintf(stderr, "PE %d: not so: %s\n", shmem_my_pe(), what);
    std::_Exit(1);
}

} // namespace

int main(int, char** arguments) {
    take_addresses(arguments[1]);
    shmem_init();
    std::vector<int> pes;
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        pes.push_back(pe);
    shmemx_shared_t handle = nullptr;
    require(shmemx_alloc_shared(4096, pes.data(), shmem_n_pes(), &handle) == 0, "there are shared buffers");
    void* mine[2] = {shmem_malloc(64), shmemx_shared_ptr(handle)};
    auto** addresses = static_cast<void**>(shmem_calloc(2, sizeof(void*)));
    if (shmem_my_pe() == 0)
        for (int pe : pes)
            shmem_putmem(addresses, mine, sizeof mine, pe);
    shmem_barrier_all();
    require(addresses[0] == mine[0], "a symmetric object has one address on all PEs");
    require(addresses[1] == mine[1], "a shared buffer has one address on all PEs");
    require(reinterpret_cast<std::uintptr_t>(mine[0]) > shm::kWindowBase + (std::uintptr_t{1} << 40),
            "it is none that a PE uses otherwise");
    shmem_finalize();
}

// SPDX-License-Identifier: Apache-2.0
// Every PE says who it is.
#include <cstdio>

#include <shmem.hpp>

int main() {
    shmem::init();
    std::printf("Hello from PE %d of %d\n", shmem::my_pe(), shmem::n_pes());
    shmem::finalize();
}

// SPDX-License-Identifier: Apache-2.0
// Errors in C++: provoke_cpp NAME; see messages.py.
#include <iostream>
#include <string_view>

#include "shmem.hpp"

namespace {

void uncaught() {
    auto numbers = shmem::symmetric<double>(8);
    shmem::put(&numbers[0], 3.14, shmem::my_pe() == 1 ? 9 : 0);
}

void sizes_differ() {
    auto buffer = shmem::alloc(shmem::my_pe() == 2 ? 200 : 100);
}

void no_memory() {
    auto buffer = shmem::alloc(std::size_t{1} << 50);
}

void no_shared_memory() {
    auto buffer = shmem::alloc(std::size_t{1} << 50, {0, 1, 2});
}

void shared_sizes_differ() {
    auto buffer = shmem::alloc(shmem::my_pe() == 2 ? 8192 : 4096, {0, 1, 2});
}

/// What PE 0 hears; the others hear it too.
void tell(void (*mistake)()) {
    try {
        mistake();
    } catch (const shmem::Error& error) {
        if (shmem::my_pe() == 0)
            std::cerr << error.what() << '\n';
    }
}

} // namespace

int main(int argc, char** argv) {
    std::string_view name = argc > 1 ? argv[1] : "";
    shmem::init();
    if (name == "uncaught")
        uncaught();
    else if (name == "sizes_differ")
        tell(sizes_differ);
    else if (name == "no_memory")
        tell(no_memory);
    else if (name == "no_shared_memory")
        tell(no_shared_memory);
    else if (name == "shared_sizes_differ")
        tell(shared_sizes_differ);
    shmem::finalize();
}

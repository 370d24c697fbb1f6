// SPDX-License-Identifier: Apache-2.0
// shmem-bench: measures the library, and what it competes with, on this machine.
#include <cstdio>

#include "options.hpp"
#include "shmem.h"

namespace {

using namespace shm::bench;

int run(const PosixOptions& options) {
    return run_posix(options);
}

int run(const PutOptions& options) {
    return run_put(options);
}

int run(const SynchronisationOptions& options) {
    return run_synchronisation(options);
}

int run(const Answer& answer) {
    if (shmem_my_pe() == 0)
        std::fputs(answer.text.c_str(), answer.status == 0 ? stdout : stderr);
    return answer.status;
}

int run(const Options& options) {
    return std::visit([](const auto& of_benchmark) { return run(of_benchmark); }, options);
}

} // namespace

int main(int argc, char** argv) {
    const std::variant<Options, Answer> asked = parse_options(argc, argv);
    shmem_init();
    const int status = std::visit([](const auto& either) { return run(either); }, asked);
    shmem_finalize();
    return status;
}

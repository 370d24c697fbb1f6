// SPDX-License-Identifier: Apache-2.0
// `shmem-bench posix`: moving data between two processes through POSIX shared memory, as articles show it and
// as well as it can be done, against SHMEM and against the limit of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace shm::bench {

struct PosixOptions {
    std::uint64_t size = 0; // bytes of the large transfer; 0: 1 GiB, or what the machine allows
    int rounds = 0;         // 0: 7 for one pair, 3 for more
    std::string json_path;  // empty: no file
};

/// Collective over all PEs; the library must be initialised. Returns the exit status of the program: not 0
/// when a transfer brought wrong data or nothing could be measured.
int run_posix(const PosixOptions& options);

} // namespace shm::bench

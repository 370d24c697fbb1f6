// SPDX-License-Identifier: Apache-2.0
// What an 8-byte put and get cost beside the bare store and load, between two PEs.
#pragma once

#include <string>

namespace shm::bench {

struct PutOptions {
    int rounds = 15;
    std::string json_path; // empty: none
};

/// Collective; PE 0 prints. Returns the exit status.
int run_put(const PutOptions& options);

} // namespace shm::bench

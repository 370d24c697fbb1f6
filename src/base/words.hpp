// SPDX-License-Identifier: Apache-2.0
// Numbers as messages say them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shm {

/// "64 bytes", "512 MiB", "1.5 GiB", "1048577 bytes (1 MiB)".
std::string bytes_text(std::uint64_t bytes);

/// Ascending numbers: "0-2, 5, 7-8". Of a list with more than `most` parts the rest is counted: "0, 2, 4 and
/// 5 more".
std::string number_list(const std::vector<int>& numbers, int most = 16);

} // namespace shm

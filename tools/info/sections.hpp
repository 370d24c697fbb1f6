// SPDX-License-Identifier: Apache-2.0
// What shmem-info tells of this machine and this library. What can be tried is tried, not assumed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "info/report.hpp"

namespace shm::info {

Section version_section();
Section machine_section();
Section memory_section();
Section kernel_section();
Section limits_section();
/// How large the heap of a PE can become in jobs of some sizes, and in one of `n_pes` PEs.
Section heap_section(int n_pes);
Section memory_kinds_section();
Section settings_section();

std::vector<Section> all_sections(int n_pes);

/// Why a job of `n_pes` PEs could not run here; empty when it could.
std::vector<std::string> problems(int n_pes);

} // namespace shm::info

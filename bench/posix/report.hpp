// SPDX-License-Identifier: Apache-2.0
// The result of a run and its two forms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "posix/job.hpp"
#include "posix/plan.hpp"
#include "posix/record.hpp"

namespace shm::bench {

struct PosixResult {
    Plan plan;
    std::vector<std::string> remarks;
    Machine machine;
    std::vector<PeInfo> pes;
    std::vector<PairRecord> pairs;
    /// What the table shows: the samples of the only pair, or the medians of the pairs; and what is measured
    /// once for all PEs.
    Measurements table;
};

/// Whether every transfer brought the right data.
bool verified(const PosixResult& result);

/// The figures that are quoted; one that was not measured is empty.
struct Summary {
    using Figure = std::optional<double>;
    Figure posix_gb_s, tuned_gb_s, shmem_gb_s, shmem_again_gb_s, copy_limit_gb_s;
    Figure ratio_posix, ratio_posix_again, ratio_posix_tuned, of_copy_limit, tuned_of_copy_limit;
    Figure hand_off_ns, event_one_way_ns, barrier_ns, put_8b_ns;
    Figure event_of_hand_off, barrier_of_hand_off;
    Figure alloc_touch_ms_per_gib, caller_thread_cpu_share;
};
Summary summarise(const PosixResult& result);

/// For people, on standard output.
void print_text(const PosixResult& result);

/// For programs; false when the file cannot be written.
bool write_json(const PosixResult& result, const std::string& path);

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
// The node file: one anonymous, sealed file that holds the control pages and every heap of a node.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file.hpp"
#include "base/result.hpp"
#include "core/job.hpp"

namespace shm {

/// Room for `n_pes` heaps on this machine: as much per PE as it has memory, less where the address space
/// (RLIMIT_AS), the file size (RLIMIT_FSIZE) or the window for all heaps is smaller.
Result<NodeLayout> plan_node_layout(int n_pes);

/// Makes the node file of a job of `n_pes` PEs with the given id. Costs no memory but the control pages. The
/// descriptor is close-on-exec: the launcher clears that in the PEs alone.
Result<File> create_node_file(int n_pes, std::uint64_t job_id);

/// A random job id, never 0.
std::uint64_t random_job_id();

/// What the header of a node file says about its job and its layout, all else zero; null when the file is
/// none. Not on the stack, which may be too small for it.
std::unique_ptr<JobHeader> read_job_header(const File& node_file);

/// The control pages of a node file, mapped; fails when it is not one of this version.
Result<ControlPages> map_control_pages(const File& node_file);
void unmap_control_pages(ControlPages pages);

} // namespace shm

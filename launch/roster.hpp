// SPDX-License-Identifier: Apache-2.0
// Roster: what the launcher knows of each PE: what it says in its slot, and how its process ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/process.hpp"
#include "core/job.hpp"

namespace shm::launch {

/// "exited with status 3", "was killed by signal 11 (Segmentation fault)".
std::string how_it_ended(int wait_status);

/// "PE 2", "PEs 0-3, 7"; the end of a long list is counted.
std::string name_pes(const std::vector<int>& pes);

class Roster {
public:
    Roster(ControlPages pages, std::string host);

    int n_pes() const { return static_cast<int>(ends_.size()); }
    const JobHeader& header() const { return pages_.header(); }
    const PeSlot& slot(int pe) const { return pages_.slot(pe); }
    // acquire: what the PE wrote before it came so far is visible.
    Phase phase(int pe) const { return slot(pe).phase.load(std::memory_order_acquire); }
    // acquire: its namespace is visible.
    pid_t process(int pe) const { return slot(pe).process.load(std::memory_order_acquire); }
    /// Whether process(pe) means to the launcher what it means to the PE.
    bool shares_process_ids(int pe) const {
        return slot(pe).process_namespace != 0 && slot(pe).process_namespace == process_namespace_;
    }
    const std::string& host() const { return host_; }

    void end(int pe, int wait_status) { ends_[static_cast<std::size_t>(pe)] = wait_status; }
    /// PE `pe` lives on in a process that what was launched left behind.
    void revive(int pe) { ends_[static_cast<std::size_t>(pe)].reset(); }

    bool has_ended(int pe) const { return wait_status(pe).has_value(); }
    std::optional<int> wait_status(int pe) const { return ends_[static_cast<std::size_t>(pe)]; }
    int living() const;

    int arrived() const; // how many have called shmem_init
    /// It joined, and will never do anything again that others could wait for, nor has it finalized.
    bool has_left(int pe) const;
    /// Whether one of its threads sleeps in a wait of the library.
    bool waits(int pe) const;
    bool waits_for_all(int pe) const;

    /// "PE 2 on node7".
    std::string name(int pe) const;

private:
    ControlPages pages_;
    std::string host_;
    std::uint64_t process_namespace_ = own_pid_namespace();
    std::vector<std::optional<int>> ends_; // wait statuses
};

} // namespace shm::launch

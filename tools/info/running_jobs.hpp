// SPDX-License-Identifier: Apache-2.0
// The jobs that run here, found through the node files that their processes have open.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/file.hpp"
#include "base/result.hpp"
#include "core/job.hpp"
#include "core/wait_table.hpp"

namespace shm::info {

class RunningJob {
public:
    /// `node_file` is open for reading at least; nothing is written. Fails when it is no node file of this
    /// version, or not one whose memory is sure to stay.
    static Result<RunningJob> open(File node_file);
    RunningJob(RunningJob&& other) noexcept;
    ~RunningJob();
    RunningJob& operator=(RunningJob&&) = delete;

    /// 16 hexadecimal digits.
    std::string id() const;
    int n_pes() const { return header_.n_pes; }
    /// What each PE does now.
    std::vector<WaitRow> rows() const;
    bool has_pe(pid_t process) const;

    pid_t launcher = 0;     // 0: not known, as with a program that was started without one
    double age_seconds = 0; // since the first of its processes started

private:
    RunningJob(File node_file, const JobHeader& header, void* pages);

    struct Header { // as it was when the file was opened: the PEs can write to it
        std::int32_t n_pes;
        std::uint64_t job_id;
        NodeLayout layout;
    };
    File node_file_;
    Header header_;
    void* pages_;
};

/// All jobs whose files this user may open; an error where processes cannot be looked at.
Result<std::vector<RunningJob>> running_jobs();

} // namespace shm::info

// SPDX-License-Identifier: Apache-2.0
// Running jobs, as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "info/report.hpp"
#include "info/running_jobs.hpp"

namespace shm::info {

std::string jobs_text(const std::vector<RunningJob>& jobs);
Json jobs_json(const std::vector<RunningJob>& jobs);

/// The job whose id begins with `id`; an error, which lists the jobs there are, unless exactly one does.
Result<const RunningJob*> find_job(const std::vector<RunningJob>& jobs, std::string_view id);

/// What each PE of the job does and waits for.
std::string job_text(const RunningJob& job);
Json job_json(const RunningJob& job);

} // namespace shm::info

// SPDX-License-Identifier: Apache-2.0
#include "info/job_report.hpp"

#include <algorithm>
#include <ctime>
#include <map>

#include <fmt/format.h>

namespace shm::info {
namespace {

std::time_t start_of(const RunningJob& job) {
    return std::time(nullptr) - static_cast<std::time_t>(job.age_seconds);
}

std::string time_text(std::time_t time, const char* format) {
    std::tm fields{};
    ::localtime_r(&time, &fields);
    char text[64];
    return std::string(text, std::strftime(text, sizeof text, format, &fields));
}

/// How many PEs do what: a PE of several waiting threads counts once.
std::map<Doing, int> counts(const std::vector<WaitRow>& rows) {
    std::map<Doing, int> count;
    int last_pe = -1;
    for (const WaitRow& row : rows)
        if (std::exchange(last_pe, row.pe) != row.pe)
            ++count[row.doing];
    return count;
}

Json head_json(const RunningJob& job) {
    Json head = {
        {"id", job.id()}, {"launcher", job.launcher ? Json(job.launcher) : Json()}, {"pes", job.n_pes()}};
    for (auto [doing, count] : counts(job.rows()))
        head["doing"][std::string(doing_text(doing))] = count;
    head["started"] = time_text(start_of(job), "%Y-%m-%dT%H:%M:%S%z");
    head["age_seconds"] = job.age_seconds;
    return head;
}

Json row_json(const WaitRow& row) {
    Json json = {{"pe", row.pe}, {"doing", doing_text(row.doing)}};
    if (!row.wait)
        return json;
    const WaitView& view = *row.wait;
    json["call"] = view.call;
    json["waits_for"] = wanted_text(row);
    json["seconds"] = std::chrono::duration<double>(row.waited).count();
    json["thread"] = view.thread;
    if (view.what == WaitsFor::word) {
        json["comparison"] = comparison_text(view.comparison);
        json["wanted"] = number_text(view, view.wanted);
        json["value"] = row.value ? Json(number_text(view, *row.value)) : Json();
    }
    if (!row.missing.empty())
        json["missing_pes"] = row.missing;
    return json;
}

} // namespace

std::string jobs_text(const std::vector<RunningJob>& jobs) {
    if (jobs.empty())
        return "no job of yours runs on this machine\n";
    std::string text = fmt::format("{:<18}{:>9}{:>6}{:>9}{:>9}{:>7}  {}\n", "job", "launcher", "PEs",
                                   "running", "waiting", "other", "since");
    for (const RunningJob& job : jobs) {
        std::map<Doing, int> count = counts(job.rows());
        text += fmt::format("{:<18}{:>9}{:>6}{:>9}{:>9}{:>7}  {} ({:.0f} s)\n", job.id(),
                            job.launcher ? fmt::to_string(job.launcher) : "none", job.n_pes(),
                            count[Doing::running], count[Doing::waiting],
                            job.n_pes() - count[Doing::running] - count[Doing::waiting],
                            time_text(start_of(job), "%F %T"), job.age_seconds);
    }
    return text;
}

Json jobs_json(const std::vector<RunningJob>& jobs) {
    Json list = Json::array();
    for (const RunningJob& job : jobs)
        list.push_back(head_json(job));
    return {{"jobs", list}};
}

Result<const RunningJob*> find_job(const std::vector<RunningJob>& jobs, std::string_view id) {
    std::vector<const RunningJob*> matching;
    std::vector<std::string> all, several;
    for (const RunningJob& job : jobs) {
        all.push_back(job.id());
        if (!job.id().starts_with(id))
            continue;
        matching.push_back(&job);
        several.push_back(job.id());
    }
    if (matching.size() == 1)
        return matching.front();
    if (matching.empty())
        return fail("no job of yours runs here whose id begins with {}: {}", id,
                    all.empty() ? "none runs at all" : format_text("there are {}", fmt::join(all, ", ")));
    return fail("several ids begin with {}: {}", id, fmt::join(several, ", "));
}

std::string job_text(const RunningJob& job) {
    std::string text = fmt::format("job {}: {} PE{}, launcher {}, for {:.0f} s\n", job.id(), job.n_pes(),
                                   job.n_pes() == 1 ? "" : "s",
                                   job.launcher ? fmt::to_string(job.launcher) : "none", job.age_seconds);
    std::vector<std::string> lines = wait_lines(job.rows());
    if (lines.empty())
        lines.emplace_back("no PE has called shmem_init yet");
    for (const std::string& line : lines)
        text += fmt::format("  {}\n", line);
    return text;
}

Json job_json(const RunningJob& job) {
    Json json = head_json(job);
    json["rows"] = Json::array();
    for (const WaitRow& row : job.rows())
        json["rows"].push_back(row_json(row));
    return json;
}

} // namespace shm::info

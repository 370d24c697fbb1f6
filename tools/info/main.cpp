// SPDX-License-Identifier: Apache-2.0
// shmem-info: what this machine offers to the library, what is set, and what running jobs do.
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/version.hpp"
#include "info/job_report.hpp"
#include "info/sections.hpp"

namespace {

using namespace shm;
using namespace shm::info;

constexpr int kUsageStatus = 2;

struct Options {
    int n_pes = 1;
    bool json = false, check = false, jobs = false;
    std::string job;
};

void declare(CLI::App& app, Options& options) {
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.set_version_flag("--version", fmt::format("shmem-info {}", kVersion), "Print the version and exit");
    app.add_flag("--json", options.json, "Print JSON");
    app.add_option("-n,--pes", options.n_pes, "A number of PEs to tell about, or to check for")
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20).description(""));
    app.add_flag("--check", options.check,
                 "Only say whether a job could run here; status 1 when it could not");
    app.add_flag("--jobs", options.jobs, "List your running jobs");
    app.add_option("--job", options.job,
                   "Show what each PE of a running job does and waits for.\n"
                   "The beginning of the id suffices")
        ->type_name("ID");
}

void print(const Json& json) {
    // A job's memory, or a variable, may hold bytes that are no text.
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

int failure(const Error& error) {
    fmt::print(stderr, "shmem-info: {}\n", error.text());
    return 1;
}

int check(const Options& options) {
    std::vector<std::string> found = problems(options.n_pes);
    std::string job = fmt::format("a job of {} PE{}", options.n_pes, options.n_pes == 1 ? "" : "s");
    if (options.json)
        print({{"pes", options.n_pes}, {"problems", found}});
    else if (found.empty())
        fmt::print("{} can run here\n", job);
    for (const std::string& problem : found)
        if (!options.json)
            fmt::print("{} cannot run here: {}\n", job, problem);
    return found.empty() ? 0 : 1;
}

int show_jobs(const Options& options) {
    auto jobs = running_jobs();
    if (!jobs)
        return failure(jobs.error());
    if (options.jobs) {
        if (options.json)
            print(jobs_json(*jobs));
        else
            fmt::print("{}", jobs_text(*jobs));
        return 0;
    }
    auto job = find_job(*jobs, options.job);
    if (!job)
        return failure(job.error());
    if (options.json)
        print(job_json(**job));
    else
        fmt::print("{}", job_text(**job));
    return 0;
}

int run(const Options& options) {
    if (options.check)
        return check(options);
    if (options.jobs || !options.job.empty())
        return show_jobs(options);
    std::vector<Section> sections = all_sections(options.n_pes);
    if (options.json)
        print(to_json(sections));
    else
        fmt::print("{}", to_text(sections));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Tells what this machine offers to SHMEM, every setting, and what running jobs do.",
                 "shmem-info");
    declare(app, options);
    try {
        app.parse(argc, argv);
        if (options.check + options.jobs + !options.job.empty() > 1)
            throw CLI::ValidationError("choose one of --check, --jobs and --job");
    } catch (const CLI::Success& asked) {
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "shmem-info: {}\nTry 'shmem-info --help'.\n", error.what());
        return kUsageStatus;
    }
    return run(options);
}

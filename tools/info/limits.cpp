// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <optional>

#include <sys/resource.h>

#include "base/cgroup.hpp"
#include "base/environment.hpp"
#include "base/words.hpp"
#include "core/node_file.hpp"
#include "info/sections.hpp"
#include "launch/start.hpp"

namespace shm::info {
namespace {

rlimit limit_of(__rlimit_resource resource) {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    ::getrlimit(resource, &limit);
    return limit;
}

enum class Unit { bytes, number };

Json number(rlim_t value) {
    return value == RLIM_INFINITY ? Json() : Json(value);
}

std::string text(rlim_t value, Unit unit) {
    if (value == RLIM_INFINITY)
        return "unlimited";
    return unit == Unit::bytes ? bytes_text(value) : format_text("{}", value);
}

/// {"soft": ..., "hard": ...}, null for unlimited.
Fact fact_of(std::string key, std::string label, __rlimit_resource resource, Unit unit,
             const std::string& remark = "") {
    rlimit limit = limit_of(resource);
    std::string both = text(limit.rlim_cur, unit);
    if (limit.rlim_max != limit.rlim_cur)
        both += format_text(", can be raised to {}", text(limit.rlim_max, unit));
    return {std::move(key),
            std::move(label),
            {{"soft", number(limit.rlim_cur)}, {"hard", number(limit.rlim_max)}},
            both,
            remark.empty() ? std::vector<std::string>{} : std::vector{remark}};
}

/// How many PEs the launcher has descriptors for.
std::uint64_t most_pes() {
    rlim_t hard = limit_of(RLIMIT_NOFILE).rlim_max;
    return hard <= launch::kDescriptorsOfLauncher
               ? 0
               : (hard - launch::kDescriptorsOfLauncher) / launch::kDescriptorsOfPe;
}

/// How many processes the control groups still allow; nothing without a limit.
std::optional<std::uint64_t> processes_left() {
    std::optional<std::uint64_t> least;
    Cgroup cgroup("pids");
    for (const Cgroup::Level& level : cgroup.levels()) {
        auto limit = level.number("pids.max");
        auto used = level.number("pids.current");
        if (!limit || !used)
            continue;
        std::uint64_t left = *limit - std::min(*limit, *used);
        least = std::min(least.value_or(left), left);
    }
    return least;
}

} // namespace

Section limits_section() {
    Section section{"limits", "Limits of this process", {}};
    section.facts = {
        fact_of("address_space", "addresses (ulimit -v)", RLIMIT_AS, Unit::bytes,
                limit_of(RLIMIT_AS).rlim_cur == RLIM_INFINITY ? ""
                                                              : "The heaps of all PEs share half of this."),
        fact_of("file_size", "file size (ulimit -f)", RLIMIT_FSIZE, Unit::bytes,
                limit_of(RLIMIT_FSIZE).rlim_cur == RLIM_INFINITY ? ""
                                                                 : "All heaps of a job lie in one file."),
        fact_of("descriptors", "descriptors (ulimit -n)", RLIMIT_NOFILE, Unit::number),
        {"most_pes", "PEs that they suffice for", most_pes(), format_text("{}", most_pes())},
        fact_of("processes", "processes (ulimit -u)", RLIMIT_NPROC, Unit::number),
        fact_of("core", "core files (ulimit -c)", RLIMIT_CORE, Unit::bytes)};
    auto left = processes_left();
    section.facts.push_back({"group_processes_left", "processes by control groups",
                             left ? Json(*left) : Json(),
                             left ? format_text("{} more", *left) : "unlimited"});
    return section;
}

std::vector<std::string> problems(int n_pes) {
    std::vector<std::string> found;
    for (const SettingInUse& now : settings_in_use(std::getenv))
        if (now.error)
            found.push_back(format_text("{}={}: {}", now.setting->variable, now.value, now.error->text()));
    if (auto file = create_node_file(n_pes, random_job_id()); !file)
        found.push_back(file.error().text());
    if (static_cast<std::uint64_t>(n_pes) > most_pes())
        found.push_back(format_text(
            "the hard limit on descriptors (ulimit -Hn) suffices for {} PEs: raise it", most_pes()));
    if (auto left = processes_left(); left && *left < static_cast<std::uint64_t>(n_pes) + 1)
        found.push_back(format_text("the control group allows {} more processes, and the job needs {}", *left,
                                    n_pes + 1));
    return found;
}

std::vector<Section> all_sections(int n_pes) {
    return {version_section(), machine_section(),   memory_section(),       kernel_section(),
            limits_section(),  heap_section(n_pes), memory_kinds_section(), settings_section()};
}

} // namespace shm::info

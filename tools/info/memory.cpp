// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include <unistd.h>

#include "base/anonymous_file.hpp"
#include "base/cgroup.hpp"
#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/shared_memory.hpp"
#include "base/words.hpp"
#include "core/node_file.hpp"
#include "info/sections.hpp"

namespace shm::info {
namespace {

/// "always [madvise] never" -> "madvise".
std::string chosen(const std::string& path) {
    std::string text = read_text(path).value_or("");
    std::size_t open = text.find('['), close = text.find(']');
    return open == text.npos || close == text.npos ? "not known" : text.substr(open + 1, close - open - 1);
}

std::optional<std::uint64_t> meminfo_bytes(const std::string& key) {
    std::istringstream lines(read_text("/proc/meminfo").value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key + ":"))
            return std::stoull(line.substr(key.size() + 1)) * 1024;
    return std::nullopt;
}

/// What an object of 2 MiB goes through when it is allocated.
Result<void> try_huge_page() {
    auto file = create_anonymous_file("shmem-info", kHugePage);
    if (!file)
        return file.error();
    auto mapped = reserve_addresses(nullptr, kHugePage);
    if (!mapped)
        return mapped.error();
    Result<void> tried = map_over(*mapped, *file, {0, kHugePage});
    if (tried)
        tried = take_huge_pages(*file, {0, kHugePage}, *mapped);
    unmap(*mapped, kHugePage);
    return tried;
}

struct Group {
    Json json;
    std::string text;
};

Group describe(const Cgroup::Level& level) {
    bool v2 = level.version == Cgroup::Version::v2;
    auto limit = level.number(v2 ? "memory.max" : "memory.limit_in_bytes");
    auto used = level.number(v2 ? "memory.current" : "memory.usage_in_bytes");
    bool limited = limit && *limit <= machine_memory(); // version 1 has a large number for "none"
    std::string version = v2 ? "v2" : "v1";
    Json value = {{"version", version},
                  {"limit_bytes", limited ? Json(*limit) : Json()},
                  {"used_bytes", used ? Json(*used) : Json()}};
    std::string text =
        format_text("({}): {}", version, limited ? format_text("limit {}", bytes_text(*limit)) : "no limit");
    if (used)
        text += format_text(", {} used", bytes_text(*used));
    return {value, text};
}

void add_groups(Section& section) {
    Cgroup cgroup("memory");
    Json groups = Json::object();
    std::vector<std::string> lines;
    for (const Cgroup::Level& level : cgroup.levels()) {
        Group group = describe(level);
        groups[level.folder] = group.json;
        lines.push_back(format_text("{} {}", level.folder, group.text));
    }
    section.facts.push_back(
        {"control_groups", "control groups", groups,
         lines.empty() ? "none found" : format_text("{}; this process's own comes first:", lines.size()),
         lines});
}

} // namespace

Section memory_section() {
    MemoryLimit available = available_memory();
    Section section{"memory", "Memory", {}};
    section.facts = {size("machine", "of the machine", machine_memory()),
                     size("available", "left for heaps", available.bytes),
                     word("available_limit", "  after a reserve, limited by", available.name)};
    add_groups(section);
    section.facts.push_back(size("page", "page", static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))));
    section.facts.push_back(attempt("huge_pages", "huge pages (MADV_COLLAPSE)", try_huge_page(),
                                    "Objects of 2 MiB and more get small pages: all works, and is slower "
                                    "with large objects."));
    section.facts.push_back(word("shmem_enabled", "the kernel's own (shmem_enabled)",
                                 chosen("/sys/kernel/mm/transparent_hugepage/shmem_enabled")));
    if (auto used = meminfo_bytes("ShmemHugePages"))
        section.facts.push_back(size("huge_pages_in_use", "huge pages in use", *used));
    return section;
}

Section heap_section(int n_pes) {
    Section section{
        "heap_bytes", "Largest symmetric heap of a PE (memory is taken only as objects need it)", {}};
    std::vector<int> jobs{1, 2, 8, 64, n_pes};
    std::sort(jobs.begin(), jobs.end());
    jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
    for (int pes : jobs) {
        auto layout = plan_node_layout(pes);
        section.facts.push_back({format_text("{}", pes), format_text("{} PE{}", pes, pes == 1 ? "" : "s"),
                                 layout ? Json(layout->heap_stride) : Json(),
                                 layout ? bytes_text(layout->heap_stride) : layout.error().text()});
    }
    return section;
}

} // namespace shm::info

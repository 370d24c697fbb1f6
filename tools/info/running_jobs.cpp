// SPDX-License-Identifier: Apache-2.0
#include "info/running_jobs.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/format.hpp"

namespace shm::info {
namespace {

namespace fs = std::filesystem;

constexpr int kMostPes = 1 << 20; // as the launcher has it

/// A process that has a node file open.
struct Holder {
    pid_t process;
    pid_t parent;
    double age_seconds;
};

using FileIdentity = std::pair<dev_t, ino_t>;

/// One unnamed file and all who have it open.
struct Found {
    File node_file;
    std::vector<Holder> holders;
};

Holder holder_of(pid_t process) {
    Holder holder{process, 0, 0};
    std::string text = read_text(format_text("/proc/{}/stat", process)).value_or("");
    // The name, in brackets, may contain anything: state and parent follow its last bracket.
    std::size_t name_end = text.rfind(") ");
    if (name_end == text.npos)
        return holder;
    std::istringstream words(text.substr(name_end + 2));
    std::string skipped;
    words >> skipped >> holder.parent;
    for (int field = 5; field < 22; ++field)
        words >> skipped;
    double ticks = 0;
    words >> ticks; // from the start of the machine to that of the process
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    holder.age_seconds = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 -
                         ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return holder;
}

/// Node files have no name: only such files are opened, and no pipes, where that would wait.
File open_if_unnamed(const fs::path& descriptor) {
    std::error_code error;
    bool unnamed = fs::read_symlink(descriptor, error).string().ends_with(" (deleted)");
    if (!unnamed || !fs::is_regular_file(descriptor, error))
        return {};
    return File(::open(descriptor.c_str(), O_RDONLY | O_CLOEXEC));
}

/// Adds the unnamed files of one process. What this user may not look at is passed over in silence.
void add_files_of(pid_t process, std::map<FileIdentity, Found>& found) {
    std::error_code error;
    std::vector<FileIdentity> seen; // a process may have several descriptors of one file
    for (fs::directory_iterator entry(format_text("/proc/{}/fd", process), error), end;
         !error && entry != end; entry.increment(error)) {
        File file = open_if_unnamed(entry->path());
        struct stat status {};
        if (!file || ::fstat(file.descriptor(), &status) != 0)
            continue;
        FileIdentity identity{status.st_dev, status.st_ino};
        if (std::ranges::find(seen, identity) != seen.end())
            continue;
        seen.push_back(identity);
        Found& job = found[identity];
        if (!job.node_file)
            job.node_file = std::move(file);
        job.holders.push_back(holder_of(process));
    }
}

/// It made the file, so its parent does not have it, and its children, the PEs or what leads to them, do.
pid_t launcher_among(const std::vector<Holder>& holders, const RunningJob& job) {
    auto holds = [&](pid_t process) {
        return std::ranges::any_of(holders, [=](const Holder& one) { return one.process == process; });
    };
    for (const Holder& one : holders) {
        bool leads_to_others =
            std::ranges::any_of(holders, [&](const Holder& other) { return other.parent == one.process; });
        if (!holds(one.parent) && leads_to_others && !job.has_pe(one.process))
            return one.process;
    }
    return 0;
}

} // namespace

RunningJob::RunningJob(File node_file, const JobHeader& header, void* pages)
    : node_file_(std::move(node_file)), header_{header.n_pes, header.job_id, header.layout}, pages_(pages) {}

RunningJob::RunningJob(RunningJob&& other) noexcept
    : launcher(other.launcher), age_seconds(other.age_seconds), node_file_(std::move(other.node_file_)),
      header_(other.header_), pages_(std::exchange(other.pages_, nullptr)) {}

RunningJob::~RunningJob() {
    if (pages_)
        ::munmap(pages_, header_.layout.control_bytes);
}

Result<RunningJob> RunningJob::open(File node_file) {
    JobHeader header{};
    struct stat status {};
    int descriptor = node_file.descriptor();
    if (::pread(descriptor, &header, sizeof header, 0) != sizeof header ||
        ::fstat(descriptor, &status) != 0 || header.magic != kJobMagic)
        return fail("not the node file of a job");
    if (header.version != kJobVersion)
        return fail("the job is of another version ({}, this program has {})", header.version, kJobVersion);
    auto bytes = static_cast<std::uint64_t>(status.st_size);
    // Memory that another user could take away would end this program by a signal.
    int seals = ::fcntl(descriptor, F_GET_SEALS);
    bool stays = (seals >= 0 && (seals & F_SEAL_SHRINK)) || status.st_uid == ::geteuid();
    if (!stays || header.n_pes < 1 || header.n_pes > kMostPes || header.layout.control_bytes > bytes ||
        ControlPages::bytes(header.n_pes) > header.layout.control_bytes)
        return fail("the node file is damaged");
    void* pages = ::mmap(nullptr, header.layout.control_bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (pages == MAP_FAILED)
        return fail("cannot map the control pages").because(system_error());
    return RunningJob(std::move(node_file), header, pages);
}

std::string RunningJob::id() const {
    return format_text("{:016x}", header_.job_id);
}

std::vector<WaitRow> RunningJob::rows() const {
    ControlPages pages(pages_);
    return WaitTable(pages, node_file_).rows([&](int pe) {
        pid_t process = pages.slot(pe).process.load(std::memory_order_relaxed);
        return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
    });
}

bool RunningJob::has_pe(pid_t process) const {
    ControlPages pages(pages_);
    for (int pe = 0; pe < header_.n_pes; ++pe)
        if (pages.slot(pe).process.load(std::memory_order_relaxed) == process)
            return true;
    return false;
}

Result<std::vector<RunningJob>> running_jobs() {
    std::map<FileIdentity, Found> found;
    std::error_code error;
    if (!fs::exists("/proc/self/fd", error))
        return fail("cannot look for jobs: /proc is not mounted");
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
        std::string name = entry->path().filename();
        pid_t process = 0;
        auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (wrong == std::errc{} && *rest == '\0' && process != ::getpid())
            add_files_of(process, found);
    }
    std::vector<RunningJob> jobs;
    for (auto& [identity, one] : found) {
        auto job = RunningJob::open(std::move(one.node_file));
        if (!job)
            continue;
        job->launcher = launcher_among(one.holders, *job);
        for (const Holder& holder : one.holders)
            job->age_seconds = std::max(job->age_seconds, holder.age_seconds);
        jobs.push_back(std::move(*job));
    }
    return jobs;
}

} // namespace shm::info

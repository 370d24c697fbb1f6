// SPDX-License-Identifier: Apache-2.0
#include "bootstrap/local/join.hpp"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <poll.h>
#include <sys/stat.h>

#include "base/format.hpp"
#include "core/node_file.hpp"

namespace shm::local {
namespace {

/// The launcher's variables, all of them.
struct Ticket {
    int pe;
    int node_file;
    std::uint64_t job_id;
    int launcher;
    int life;
    std::string bind;
};

std::string_view value_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value ? value : "";
}

template <typename Number>
Result<void> read_number(const char* variable, int base, Number& number) {
    std::string_view text = value_of(variable);
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{} || end != text.data() + text.size())
        return fail("{}={} is not what a launcher sets", variable, text);
    return {};
}

constexpr const char* kVariables[] = {kJobPeVariable,       kJobFileVariable, kJobIdVariable,
                                      kJobLauncherVariable, kJobLifeVariable, kJobBindVariable};

/// Nothing without a launcher; an error when only some variables are there.
Result<std::optional<Ticket>> read_ticket() {
    const char* present = nullptr;
    const char* missing = nullptr;
    for (const char* variable : kVariables)
        (std::getenv(variable) ? present : missing) = variable;
    if (!present)
        return std::optional<Ticket>();
    if (missing)
        return fail(
            "{} is set but {} is not: a launcher sets both. Start the program with shmemrun, or unset all "
            "SHMEM_JOB_ variables to run one PE",
            present, missing);
    Ticket ticket{};
    ticket.bind = value_of(kJobBindVariable);
    for (const Result<void>& read :
         {read_number(kJobPeVariable, 10, ticket.pe), read_number(kJobFileVariable, 10, ticket.node_file),
          read_number(kJobIdVariable, 16, ticket.job_id),
          read_number(kJobLauncherVariable, 10, ticket.launcher),
          read_number(kJobLifeVariable, 10, ticket.life)})
        if (!read)
            return read.error();
    if (ticket.launcher <= 0)
        return fail("{}={} is not a process", kJobLauncherVariable, ticket.launcher);
    if (ticket.bind != "core" && ticket.bind != "numa" && ticket.bind != "none")
        return fail("{}={} is not what a launcher sets", kJobBindVariable, ticket.bind);
    return std::optional<Ticket>(std::move(ticket));
}

bool is_node_file_of(const File& file, std::uint64_t job_id) {
    auto header = file ? read_job_header(file) : nullptr;
    return header && header->job_id == job_id;
}

/// Inherited; or, when something between the launcher and this process closed it, the launcher's own.
Result<File> open_node_file(const Ticket& ticket) {
    File inherited(::fcntl(ticket.node_file, F_DUPFD_CLOEXEC, 3));
    if (is_node_file_of(inherited, ticket.job_id))
        return inherited;
    std::string path = format_text("/proc/{}/fd/{}", ticket.launcher, ticket.node_file);
    File launchers = above_standard_descriptors(File(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY)));
    if (is_node_file_of(launchers, ticket.job_id))
        return launchers;
    return fail(
        "descriptor {} is not the node file of job {:016x}, and neither is {}: is the launcher (process {}) "
        "still running?",
        ticket.node_file, ticket.job_id, path, ticket.launcher);
}

/// Only the launcher can write to the pipe of which this process has the read end: when the launcher is gone,
/// however it ended, the kernel answers the end of the pipe with SIGKILL to this process. That reaches a busy
/// process and one behind a shell, which a parent-death signal does not.
Result<void> tie_life_to_launcher(const Ticket& ticket) {
    static pid_t tied = 0; // a process that joins again is tied already
    if (tied == ::getpid())
        return {};
    struct stat inherited {};
    if (::fstat(ticket.life, &inherited) != 0)
        return {}; // closed on the way here: the launcher's own precautions remain
    if (!S_ISFIFO(inherited.st_mode) || (::fcntl(ticket.life, F_GETFL) & O_ACCMODE) != O_RDONLY)
        return fail("{}={} is not the read end of the launcher's pipe", kJobLifeVariable, ticket.life);
    // Opened anew: the owner belongs to the open file, and the inherited one already names a process group.
    std::string path = format_text("/proc/self/fd/{}", ticket.life);
    File life = above_standard_descriptors(File(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)));
    if (!life)
        return {};                   // no /proc: likewise
    int descriptor = life.release(); // stays open as long as the process
    if (::fcntl(descriptor, F_SETOWN, ::getpid()) != 0 || ::fcntl(descriptor, F_SETSIG, SIGKILL) != 0 ||
        ::fcntl(descriptor, F_SETFL, O_RDONLY | O_NONBLOCK | O_ASYNC) != 0)
        return fail("cannot tie this PE to its launcher").because(system_error());
    pollfd hung_up{descriptor, 0, 0};
    if (::poll(&hung_up, 1, 0) > 0)
        return fail("the launcher (process {}) has ended", ticket.launcher);
    tied = ::getpid();
    return {};
}

Result<Seat> take_seat(const Ticket& ticket) {
    auto node_file = open_node_file(ticket);
    if (!node_file)
        return node_file.error();
    if (auto tied = tie_life_to_launcher(ticket); !tied)
        return tied.error();
    return Seat{ticket.pe, std::move(*node_file), ticket.bind == "core"};
}

Result<Seat> sole_seat() {
    auto node_file = create_node_file(1, random_job_id());
    if (!node_file)
        return node_file.error();
    return Seat{0, std::move(*node_file), false, true};
}

} // namespace

Result<Seat> join() {
    auto ticket = read_ticket();
    if (!ticket)
        return ticket.error();
    return *ticket ? take_seat(**ticket) : sole_seat();
}

} // namespace shm::local

// SPDX-License-Identifier: Apache-2.0
#include "launch/processes.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <dirent.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/format.hpp"

namespace shm::launch {

namespace {

constexpr int kDeepest = 1000;
constexpr pid_t kProcessIdsEnd = 1 << 22; // on every Linux

/// The kernel knows best, also where /proc is missing.
bool is_living_child(pid_t process) {
    siginfo_t state{};
    return ::waitid(P_PID, static_cast<id_t>(process), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid == 0;
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

/// /proc; null where it is missing, or shows another PID namespace, whose numbers mean other processes here.
std::unique_ptr<DIR, CloseFolder> open_own_proc() {
    char self[16] = {};
    if (::readlink("/proc/self", self, sizeof self - 1) < 0 || format_text("{}", ::getpid()) != self)
        return nullptr;
    return std::unique_ptr<DIR, CloseFolder>(::opendir("/proc"));
}

struct ProcessStat {
    char state = 0; // the letter in /proc: Z has ended and waits to be reaped
    pid_t parent = 0;
};

/// Zeros when there is no such process.
ProcessStat stat_of(pid_t process) {
    std::optional<std::string> text = read_text(format_text("/proc/{}/stat", process));
    // The name, in brackets, may contain anything: state and parent follow its last bracket.
    std::size_t name_end = text ? text->rfind(") ") : std::string::npos;
    if (name_end == std::string::npos || name_end + 4 >= text->size())
        return {};
    ProcessStat stat{(*text)[name_end + 2], 0};
    std::from_chars(text->data() + name_end + 4, text->data() + text->size(), stat.parent);
    return stat;
}

/// 0 when there is no such process, or it has ended and only waits to be reaped.
pid_t living_parent_of(pid_t process) {
    ProcessStat stat = stat_of(process);
    return stat.state == 'Z' ? 0 : stat.parent;
}

/// Living processes whose parent is the caller. Where /proc does not list processes, all possible numbers are
/// tried, which takes the better part of a second.
std::vector<pid_t> children_or_search() {
    if (can_list_processes())
        return children();
    std::vector<pid_t> found;
    for (pid_t process = 1; process < kProcessIdsEnd; ++process) {
        if (is_living_child(process))
            found.push_back(process);
    }
    return found;
}

} // namespace

bool can_list_processes() {
    return open_own_proc() != nullptr;
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> found;
    auto folder = open_own_proc();
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
        std::string_view name = entry->d_name;
        pid_t process = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), process).ec == std::errc())
            found.push_back(process);
    }
    return found;
}

std::vector<pid_t> children() {
    std::vector<pid_t> found = all_processes();
    std::erase_if(found, [](pid_t process) { return !is_living_child(process); });
    return found;
}

bool has_child_besides(pid_t known) {
    siginfo_t state{};
    if (known == 0)
        return ::waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT) == 0;
    std::vector<pid_t> all = all_processes();
    return std::any_of(all.begin(), all.end(), [&](pid_t process) {
        return process != known &&
               ::waitid(P_PID, static_cast<id_t>(process), &state, WEXITED | WNOHANG | WNOWAIT) == 0;
    });
}

bool descends_from_caller(pid_t process) {
    if (is_living_child(process))
        return true;
    if (!open_own_proc())
        return false;
    for (int depth = 0; depth < kDeepest && process > 1; ++depth) {
        process = living_parent_of(process);
        if (process == ::getpid())
            return true;
    }
    return false;
}

bool is_gone(pid_t process) {
    if (::kill(process, 0) != 0)
        return errno == ESRCH;
    return stat_of(process).state == 'Z';
}

bool is_ended_child(pid_t process) {
    siginfo_t information{};
    return ::waitid(P_PID, static_cast<id_t>(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           information.si_pid == process;
}

std::optional<std::chrono::nanoseconds> cpu_time_of(pid_t process) {
    clockid_t clock;
    timespec used;
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
        return std::nullopt;
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::chrono::nanoseconds cpu_time_of_descendants(const std::function<bool(pid_t)>& counts) {
    std::unordered_map<pid_t, pid_t> parents;
    for (pid_t process : all_processes())
        parents.emplace(process, living_parent_of(process));
    auto is_below_caller = [&parents](pid_t process) {
        for (int depth = 0; depth < kDeepest && process > 1; ++depth) {
            auto known = parents.find(process);
            process = known == parents.end() ? 0 : known->second;
            if (process == ::getpid())
                return true;
        }
        return false;
    };
    std::chrono::nanoseconds sum{};
    for (const auto& [process, parent] : parents) {
        if (is_below_caller(process) && counts(process))
            sum += cpu_time_of(process).value_or(std::chrono::nanoseconds{});
    }
    return sum;
}

void end_all_descendants() {
    for (;;) {
        pid_t reaped;
        do
            reaped = ::waitpid(-1, nullptr, WNOHANG);
        while (reaped > 0 || (reaped < 0 && errno == EINTR));
        if (reaped < 0)
            return;
        for (pid_t process : children_or_search())
            ::kill(process, SIGKILL);
        // No wait without a limit: a process that has just become our child was not in the list.
        ::poll(nullptr, 0, 1);
    }
}

} // namespace shm::launch

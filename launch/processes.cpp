// SPDX-License-Identifier: Apache-2.0
#include "launch/processes.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// 0 when there is no such process, or it has ended and only waits to be reaped.
pid_t living_parent_of(pid_t process) {
    std::optional<std::string> text = read_text(format_text("/proc/{}/stat", process));
    if (!text)
        return 0;
    // The name, in brackets, may contain anything: state and parent follow its last bracket.
    std::size_t name_end = text->rfind(") ");
    if (name_end == text->npos || name_end + 4 >= text->size() || (*text)[name_end + 2] == 'Z')
        return 0;
    pid_t parent = 0;
    std::from_chars(text->data() + name_end + 4, text->data() + text->size(), parent);
    return parent;
}

/// Living processes whose parent is the caller. Where /proc does not list processes, all possible numbers are
/// tried, which takes the better part of a second.
std::vector<pid_t> children() {
    std::vector<pid_t> found;
    auto consider = [&found](pid_t process) {
        if (is_living_child(process))
            found.push_back(process);
    };
    auto folder = open_own_proc();
    if (!folder) {
        for (pid_t process = 1; process < kProcessIdsEnd; ++process)
            consider(process);
        return found;
    }
    while (const dirent* entry = ::readdir(folder.get())) {
        std::string_view name = entry->d_name;
        pid_t process = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), process).ec == std::errc())
            consider(process);
    }
    return found;
}

} // namespace

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

void end_all_descendants() {
    for (;;) {
        pid_t reaped;
        do
            reaped = ::waitpid(-1, nullptr, WNOHANG);
        while (reaped > 0 || (reaped < 0 && errno == EINTR));
        if (reaped < 0)
            return;
        for (pid_t process : children())
            ::kill(process, SIGKILL);
        // No wait without a limit: a process that has just become our child was not in the list.
        ::poll(nullptr, 0, 1);
    }
}

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
#include "launch/processes.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

#include <dirent.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.hpp"

#include "base/file.hpp"

namespace shm::launch {

namespace {

constexpr int kDeepest = 1000;

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

/// Where the kernel keeps no list of children.
std::vector<pid_t> children_by_search() {
    std::vector<pid_t> found;
    DIR* folder = ::opendir("/proc");
    if (folder == nullptr)
        return found;
    while (const dirent* entry = ::readdir(folder)) {
        std::string_view name = entry->d_name;
        pid_t process = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), process).ec != std::errc())
            continue;
        if (living_parent_of(process) == ::getpid())
            found.push_back(process);
    }
    ::closedir(folder);
    return found;
}

} // namespace

std::vector<pid_t> children() {
    std::optional<std::string> text = read_text(format_text("/proc/self/task/{}/children", ::getpid()));
    if (!text)
        return children_by_search();
    std::vector<pid_t> found;
    std::string_view rest = *text;
    for (pid_t process = 0;;) {
        auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), process);
        if (error != std::errc())
            return found;
        found.push_back(process);
        rest.remove_prefix(
            std::min(rest.size(), static_cast<std::size_t>(end - rest.data()) + 1)); // and the space
    }
}

bool descends_from_caller(pid_t process) {
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

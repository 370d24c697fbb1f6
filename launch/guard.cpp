// SPDX-License-Identifier: Apache-2.0
#include "launch/guard.hpp"

#include <cerrno>
#include <csignal>
#include <string>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/format.hpp"
#include "core/job.hpp"
#include "launch/processes.hpp"

namespace shm::launch {

namespace {

/// Everything below the launcher has its job's id in the environment that it was started with.
bool belongs_to_job(pid_t process, const std::string& mark) {
    std::optional<std::string> environment = read_text(format_text("/proc/{}/environ", process));
    return environment && environment->find(mark) != environment->npos;
}

/// Until a search finds none any more: some may have been starting others.
void end_all_of_job(const std::string& mark) {
    constexpr int kMostSearches = 1000;
    for (int search = 0; search < kMostSearches; ++search) {
        bool found = false;
        for (pid_t process : all_processes()) {
            if (process == ::getpid() || !belongs_to_job(process, mark))
                continue;
            found = true;
            ::kill(process, SIGKILL);
        }
        if (!found)
            return;
        ::poll(nullptr, 0, 10);
    }
}

/// Out of reach of the terminal, and holding nothing of the user's open.
void detach(int life) {
    ::setsid();
    ::prctl(PR_SET_NAME, "shmem-guard");
    int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int descriptor : {STDOUT_FILENO, STDERR_FILENO})
        ::dup2(nothing, descriptor);
    ::dup2(life, STDIN_FILENO);
    ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
}

[[noreturn]] void run_guard(int life, const std::string& mark) {
    detach(life);
    char byte;
    ssize_t count;
    do
        count = ::read(STDIN_FILENO, &byte, 1);
    while (count < 0 && errno == EINTR);
    end_all_of_job(mark);
    ::_exit(0);
}

} // namespace

Result<Guard> Guard::start(std::uint64_t job_id) {
    if (!can_list_processes())
        return Guard(0, File());
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail("cannot make a pipe").because(system_error());
    File reader(ends[0]);
    File writer(ends[1]);
    pid_t process = ::fork();
    if (process < 0)
        return fail("cannot start a process").because(system_error());
    if (process == 0) {
        writer = File();
        run_guard(reader.descriptor(), format_text("{}={:016x}", kJobIdVariable, job_id));
    }
    return Guard(process, std::move(writer));
}

} // namespace shm::launch

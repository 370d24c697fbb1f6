// SPDX-License-Identifier: Apache-2.0
#include "launch/child.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace shm::launch {

namespace {

constexpr int kNotStarted = 127;

[[noreturn]] void give_up(const ChildPlan& plan) {
    ChildFailure reason = errno;
    [[maybe_unused]] ssize_t written = ::write(plan.failures, &reason, sizeof reason);
    ::_exit(kNotStarted); // where the write failed, the launcher sees this at least
}

/// When the launcher's write end of the life line closes, the kernel sends SIGKILL to the whole group: also
/// to a program behind a shell, which the signal for the parent's death would miss.
bool arm_life_line(const ChildPlan& plan) {
    return ::dup2(plan.life, plan.life_number) >= 0 &&
           ::fcntl(plan.life_number, F_SETOWN, -::getpid()) == 0 &&
           ::fcntl(plan.life_number, F_SETSIG, SIGKILL) == 0 &&
           ::fcntl(plan.life_number, F_SETFL, O_RDONLY | O_ASYNC) == 0;
}

bool wait_at_gate(const ChildPlan& plan) {
    char go;
    ssize_t count;
    do
        count = ::read(plan.gate, &go, 1);
    while (count < 0 && errno == EINTR);
    return count == 1;
}

[[noreturn]] void run_child(const ChildPlan& plan) {
    if (::setpgid(0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        give_up(plan);
    if (::getppid() != plan.launcher)
        ::_exit(kNotStarted); // it ended before it could be watched
    if (!arm_life_line(plan) || ::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 ||
        ::dup2(plan.error, 2) < 0)
        give_up(plan);
    if (::fcntl(plan.node_file, F_SETFD, 0) != 0 || ::setrlimit(RLIMIT_NOFILE, plan.descriptors) != 0)
        give_up(plan);
    if (plan.share != nullptr && ::sched_setaffinity(0, sizeof *plan.share, plan.share) != 0)
        give_up(plan);
    if (!wait_at_gate(plan))
        ::_exit(kNotStarted);
    ::sigprocmask(SIG_SETMASK, plan.signals, nullptr);
    ::execvpe(plan.command[0], plan.command, plan.environment);
    give_up(plan);
}

} // namespace

Result<pid_t> start_child(const ChildPlan& plan) {
    pid_t process = ::fork();
    if (process < 0 && errno == EAGAIN)
        return fail(
            "the limit on processes is reached: raise ulimit -u of this user, or pids.max of the control "
            "group");
    if (process < 0)
        return system_error();
    if (process == 0)
        run_child(plan);
    ::setpgid(process, process); // in both, as either may come first
    return process;
}

} // namespace shm::launch

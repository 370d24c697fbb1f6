// SPDX-License-Identifier: Apache-2.0
#include "launch/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace shm::launch {

namespace {

constexpr int kAnswered[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2};

bool is_ignored(int signal) {
    struct sigaction action;
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

Signals::Signals() {
    std::signal(SIGCHLD, SIG_DFL); // were it ignored, the status of the PEs would be lost
    sigset_t answered;
    sigemptyset(&answered);
    sigaddset(&answered, SIGCHLD);
    for (int signal : kAnswered) {
        // A shell has what it starts in the background ignore QUIT: but asking does no harm there.
        if (!is_ignored(signal) || signal == SIGQUIT)
            sigaddset(&answered, signal);
    }
    sigset_t blocked = answered;
    for (int signal : {SIGPIPE, SIGXFSZ}) // a write fails instead
        sigaddset(&blocked, signal);      // blocked, not ignored: programs inherit what is ignored
    ::sigprocmask(SIG_BLOCK, &blocked, &inherited_);
    source_ = File(::signalfd(-1, &answered, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<int> Signals::next() {
    signalfd_siginfo information;
    if (::read(source_.descriptor(), &information, sizeof information) != sizeof information)
        return std::nullopt;
    return static_cast<int>(information.ssi_signo);
}

} // namespace shm::launch

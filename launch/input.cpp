// SPDX-License-Identifier: Apache-2.0
#include "launch/input.hpp"

#include <cerrno>

#include <unistd.h>

namespace shm::launch {

namespace {

bool in_foreground() {
    return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

} // namespace

int InputRelay::readable_descriptor() const {
    // In the background, reading would stop the launcher.
    return is_open() && typed_.empty() && in_foreground() ? STDIN_FILENO : -1;
}

int InputRelay::writable_descriptor() const {
    return typed_.empty() ? -1 : destination_.descriptor();
}

bool InputRelay::waits_for_foreground() const {
    return is_open() && !in_foreground();
}

void InputRelay::read_some() {
    char piece[4096];
    ssize_t count = ::read(STDIN_FILENO, piece, sizeof piece);
    if (count > 0)
        typed_.assign(piece, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
        destination_ = File();
}

void InputRelay::write_some() {
    ssize_t count = ::write(destination_.descriptor(), typed_.data(), typed_.size());
    if (count >= 0) {
        typed_.erase(0, static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EINTR) {
        typed_.clear(); // PE 0 has closed its input
        destination_ = File();
    }
}

} // namespace shm::launch

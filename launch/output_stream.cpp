// SPDX-License-Identifier: Apache-2.0
#include "launch/output_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shm::launch {

namespace {

bool is_regular(int descriptor) {
    struct stat status;
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

OutputStream::OutputStream(int descriptor, int n_pes, bool tags)
    : descriptor_(descriptor), terminal_(::isatty(descriptor) == 1), regular_(is_regular(descriptor)),
      relay_(n_pes, Relay::Form{tags, terminal_}) {}

bool OutputStream::can_write() const {
    if (regular_)
        return true;
    pollfd ready{descriptor_, POLLOUT, 0};
    return ::poll(&ready, 1, 0) == 1;
}

int OutputStream::write_some() {
    if (broken_)
        drop_all();
    while (wants_to_write() && can_write()) {
        std::string_view pending = relay_.pending();
        // The descriptor is shared with the shell and has to stay a blocking one: a pipe that is ready takes
        // PIPE_BUF bytes without blocking.
        std::size_t piece = regular_ ? pending.size() : std::min<std::size_t>(pending.size(), PIPE_BUF);
        ssize_t written = ::write(descriptor_, pending.data(), piece);
        if (written >= 0) {
            relay_.consume(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            return 0;
        } else if (errno != EINTR) {
            int reason = errno;
            broken_ = true;
            drop_all();
            return reason;
        }
    }
    return 0;
}

void OutputStream::drop_all() {
    relay_.consume(relay_.pending().size());
}

bool is_same_file(int one, int other) {
    struct stat first, second;
    return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
#include "launch/output_ends.hpp"

#include <cstdlib>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace shm::launch {

namespace {

void make_non_blocking(const File& file) {
    ::fcntl(file.descriptor(), F_SETFL, ::fcntl(file.descriptor(), F_GETFL) | O_NONBLOCK);
}

/// Bytes pass as they are: the launcher's own terminal translates line ends, once.
bool make_raw(const File& terminal) {
    termios mode;
    if (::tcgetattr(terminal.descriptor(), &mode) != 0)
        return false;
    ::cfmakeraw(&mode);
    return ::tcsetattr(terminal.descriptor(), TCSANOW, &mode) == 0;
}

bool open_pseudo_terminal(OutputEnds& ends) {
    File ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!ours || ::grantpt(ours.descriptor()) != 0 || ::unlockpt(ours.descriptor()) != 0)
        return false;
    char name[128];
    if (::ptsname_r(ours.descriptor(), name, sizeof name) != 0)
        return false;
    File theirs(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!theirs || !make_raw(theirs))
        return false;
    ends = OutputEnds{std::move(ours), std::move(theirs)};
    return true;
}

} // namespace

Result<OutputEnds> open_output_ends(int like) {
    OutputEnds ends;
    if (::isatty(like) && open_pseudo_terminal(ends)) {
        copy_window_size(like, ends.ours.descriptor());
    } else {
        int pipe[2];
        if (::pipe2(pipe, O_CLOEXEC) != 0)
            return fail("cannot make a pipe").because(system_error());
        ends = OutputEnds{File(pipe[0]), File(pipe[1])};
    }
    make_non_blocking(ends.ours);
    return ends;
}

void copy_window_size(int like, int ours) {
    winsize size;
    if (::isatty(ours) && ::ioctl(like, TIOCGWINSZ, &size) == 0)
        ::ioctl(ours, TIOCSWINSZ, &size);
}

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <string>

#include <unistd.h>

namespace shm::log {
namespace {

int my_pe = -1;
bool debug_on = false;

} // namespace

void set_pe(int pe) {
    my_pe = pe;
}

void set_debug(bool on) {
    debug_on = on;
}

bool is_debug() {
    return debug_on;
}

void line(std::string_view text) {
    std::string whole =
        my_pe < 0 ? format_text("shmem: {}\n", text) : format_text("shmem: PE {}: {}\n", my_pe, text);
    // Not stdio: its lock may be held by a thread that never returns.
    for (std::string_view rest = whole; !rest.empty();) {
        ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
        if (written <= 0)
            return;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace shm::log

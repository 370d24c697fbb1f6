// SPDX-License-Identifier: Apache-2.0
// Messages to people: one line each, on stderr, written in one piece.
#pragma once

#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace shm::log {

/// The number that messages carry from now on; -1: none.
void set_pe(int pe);

/// Whether debug() prints.
void set_debug(bool on);
bool is_debug();

/// "shmem: PE 3: text\n", or without the PE where there is none.
void line(std::string_view text);

template <typename... Arguments>
void warn(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    line("warning: " + format_text(format, std::forward<Arguments>(arguments)...));
}

template <typename... Arguments>
void debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (is_debug())
        line("debug: " + format_text(format, std::forward<Arguments>(arguments)...));
}

} // namespace shm::log

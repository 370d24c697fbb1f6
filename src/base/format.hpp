// SPDX-License-Identifier: Apache-2.0
// Text made with fmt's format strings. fmt is used as headers only: the code that formats is compiled in
// format.cpp alone, where every file that calls fmt::format would compile it again.
#pragma once

#include <string>

#include <fmt/core.h>

namespace shm {

std::string format_arguments(fmt::string_view format, fmt::format_args arguments);

template <typename... Arguments>
std::string format_text(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return format_arguments(format, fmt::make_format_args(arguments...));
}

} // namespace shm

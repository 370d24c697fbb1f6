// SPDX-License-Identifier: Apache-2.0
#include "base/format.hpp"

#include <fmt/format.h>

namespace shm {

std::string format_arguments(fmt::string_view format, fmt::format_args arguments) {
    return fmt::vformat(format, arguments);
}

} // namespace shm

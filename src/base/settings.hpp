// SPDX-License-Identifier: Apache-2.0
// What a user can set through environment variables. The parser and docs/settings.md come from one table.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace shm {

struct Settings {
    static constexpr std::uint64_t kNoCap = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t symmetric_size = kNoCap;
    bool huge_pages = true;
    std::chrono::microseconds spin_time{100};
    bool check = false;
    std::chrono::milliseconds timeout{0};          // 0: none
    std::chrono::milliseconds stall_report{30000}; // 0: none
    std::chrono::milliseconds start_timeout{60000};

    /// The settings that the environment gives; an error names the variable, its value and what would be
    /// right.
    static Result<Settings> from_environment();
};

/// One row of the table.
struct Setting {
    std::string_view variable;
    std::string_view takes;     // the form of its values
    std::string_view otherwise; // the value when it is not set
    std::string_view meaning;
    Result<void> (*parse)(std::string_view value, Settings& settings);
};

std::span<const Setting> settings_table();

/// "2.5g" -> bytes: a non-negative number with an optional suffix k, m, g or t (powers of 1024).
Result<std::uint64_t> parse_bytes(std::string_view text);

} // namespace shm

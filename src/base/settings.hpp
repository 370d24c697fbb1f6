// SPDX-License-Identifier: Apache-2.0
// What a user can set through environment variables. The parser and docs/settings.md come from one table.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace shm {

/// Gives the value of a variable, as std::getenv does; null when it is not set.
using Lookup = std::function<const char*(const char* variable)>;

struct Settings {
    static constexpr std::uint64_t kNoCap = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t symmetric_size = kNoCap;
    bool huge_pages = true;
    std::chrono::microseconds spin_time{100};
    bool check = false;
    std::chrono::milliseconds timeout{0};          // 0: none
    std::chrono::milliseconds stall_report{30000}; // 0: none
    std::chrono::milliseconds start_timeout{60000};
    bool version = false; // print the version at start
    bool info = false;    // print the settings at start
    bool debug = false;

    /// The settings that these variables give; an error names the variable, its value and what would be
    /// right.
    static Result<Settings> from(const Lookup& value_of);
    /// As the environment has them.
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

/// "2.5g" -> bytes: a non-negative number with an optional suffix k, m, g or t (powers of 1024); what
/// follows the suffix is ignored.
Result<std::uint64_t> parse_bytes(std::string_view text);

} // namespace shm

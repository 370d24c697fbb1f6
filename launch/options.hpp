// SPDX-License-Identifier: Apache-2.0
// What the user asked the launcher for.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/settings.hpp"

namespace shm::launch {

enum class Bind { none, core, numa };

struct Options {
    int n_pes = 0;
    std::optional<Bind> bind; // nothing: cores where there are enough CPUs
    bool tags = false;
    std::optional<std::chrono::duration<double>> timeout;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::string> command; // the program and its arguments
};

/// Status of a usage error.
inline constexpr int kUsageStatus = 2;

/// The options, or the status with which to end: help and version were printed, or a usage error.
std::variant<Options, int> parse_options(int argc, char** argv);

/// The settings that the PEs will find in their environment.
Result<Settings> settings_of_pes(const Options& options);

} // namespace shm::launch

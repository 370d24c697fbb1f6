// SPDX-License-Identifier: Apache-2.0
// What the environment says about the settings, told without starting anything: for tools and messages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/settings.hpp"

namespace shm {

struct SettingInUse {
    const Setting* setting;
    std::string value; // as the environment gives it, or the default
    bool from_environment;
    std::optional<Error> error; // why the value cannot be read

    /// "100 (default)", "2500 (environment)".
    std::string text() const;
};

/// All settings, in the order of the table.
std::vector<SettingInUse> settings_in_use(const Lookup& value_of);

/// One warning for each variable of `environment` (as in `environ`) that looks like a misspelt setting, and
/// one for all others that begin like settings and are none. Silent about what is not meant for the library:
/// the launcher's SHMEM_JOB_..., SHMEM_TEST_..., and names that say where something is installed, such as
/// SHMEM_HOME.
std::vector<std::string> unknown_settings(const char* const* environment);

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/nearest_name.hpp"

namespace shm {
namespace {

constexpr std::string_view kPrefix = "SHMEM_";

constexpr std::string_view kForeignBeginnings[] = {"SHMEM_JOB_", "SHMEM_TEST_"};
constexpr std::string_view kForeignEnds[] = {"_HOME",   "_ROOT", "_DIR",    "_PATH",
                                             "_PREFIX", "_LIB",  "_INCLUDE"};

bool is_foreign(std::string_view variable) {
    return std::ranges::any_of(kForeignBeginnings,
                               [=](std::string_view beginning) { return variable.starts_with(beginning); }) ||
           std::ranges::any_of(kForeignEnds, [=](std::string_view end) { return variable.ends_with(end); });
}

/// The names of the settings without what all of them begin with: it would make any two look alike.
std::vector<std::string_view> short_names() {
    std::vector<std::string_view> names;
    for (const Setting& setting : settings_table())
        names.push_back(setting.variable.substr(kPrefix.size()));
    return names;
}

} // namespace

std::string SettingInUse::text() const {
    return format_text("{} ({})", value, from_environment ? "environment" : "default");
}

std::vector<SettingInUse> settings_in_use(const Lookup& value_of) {
    std::vector<SettingInUse> in_use;
    for (const Setting& setting : settings_table()) {
        const char* value = value_of(std::string(setting.variable).c_str());
        SettingInUse now{&setting, std::string(value ? value : setting.otherwise), value != nullptr, {}};
        Settings ignored;
        if (value)
            if (auto parsed = setting.parse(value, ignored); !parsed)
                now.error = parsed.error();
        in_use.push_back(std::move(now));
    }
    return in_use;
}

std::vector<std::string> unknown_settings(const char* const* environment) {
    std::vector<std::string> warnings, others;
    const std::vector<std::string_view> names = short_names();
    for (; environment && *environment; ++environment) { // clearenv() leaves null
        std::string_view assignment = *environment;
        std::string_view variable = assignment.substr(0, assignment.find('='));
        if (!variable.starts_with(kPrefix) || is_foreign(variable))
            continue;
        std::string_view name = variable.substr(kPrefix.size());
        if (std::ranges::find(names, name) != names.end())
            continue;
        if (auto nearest = nearest_name(name, names))
            warnings.push_back(format_text("{} is not a setting of this library: did you mean {}{}?",
                                           variable, kPrefix, *nearest));
        else
            others.emplace_back(variable);
    }
    if (!others.empty())
        warnings.push_back(format_text("{} {} of this library: shmem-info lists all settings",
                                       fmt::join(others, ", "),
                                       others.size() == 1 ? "is not a setting" : "are not settings"));
    return warnings;
}

} // namespace shm

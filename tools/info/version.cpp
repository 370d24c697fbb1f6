// SPDX-License-Identifier: Apache-2.0
#include "base/version.hpp"

#include <cstdlib>

#include <unistd.h>

#include "base/environment.hpp"
#include "info/sections.hpp"

namespace shm::info {
namespace {

std::string compiler() {
#if defined(__clang__)
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
}

Fact fact_of(const SettingInUse& now) {
    std::string variable(now.setting->variable);
    Json value = {{"value", now.value},
                  {"origin", now.from_environment ? "environment" : "default"},
                  {"takes", now.setting->takes},
                  {"meaning", now.setting->meaning}};
    std::string text = now.text();
    if (now.error) {
        value["error"] = now.error->text();
        text += ": " + now.error->text();
    }
    return {variable, variable, std::move(value), std::move(text), {std::string(now.setting->meaning)}};
}

} // namespace

Section version_section() {
    return {"version",
            "Version",
            {word("library", "library", kVersion),
             word("openshmem", "written for OpenSHMEM", kOpenShmemLevel),
             word("compiler", "compiler", compiler())}};
}

Section memory_kinds_section() {
    const std::string absent = "not built in this version";
    return {
        "memory_kinds",
        "Kinds of memory",
        {word("host", "host", "built in"), word("cuda", "cuda", absent), word("ascend", "ascend", absent)}};
}

Section settings_section() {
    Section section{"settings", "Settings (environment variables)", {}};
    for (const SettingInUse& now : settings_in_use(std::getenv))
        section.facts.push_back(fact_of(now));
    std::vector<std::string> warnings = unknown_settings(environ);
    if (!warnings.empty())
        section.facts.push_back({"warnings", "warnings", warnings, "", warnings});
    return section;
}

} // namespace shm::info

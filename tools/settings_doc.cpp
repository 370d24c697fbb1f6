// SPDX-License-Identifier: Apache-2.0
// Prints docs/settings.md from the table of settings; a test compares the two.
#include <fmt/format.h>

#include "base/settings.hpp"

int main() {
    fmt::print(
        "# Settings\n\n"
        "Environment variables that the library reads in `shmem_init`. A value that cannot be read is an "
        "error.\n"
        "This page is generated: `build/release/bin/settings_doc > docs/settings.md`.\n\n"
        "| variable | takes | when not set | meaning |\n|---|---|---|---|\n");
    for (const shm::Setting& setting : shm::settings_table())
        fmt::print("| `{}` | {} | {} | {} |\n", setting.variable, setting.takes, setting.otherwise,
                   setting.meaning);
}

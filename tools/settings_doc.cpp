// SPDX-License-Identifier: Apache-2.0
// Prints docs/settings.md from the table of settings; a test compares the two.
#include <fmt/format.h>

#include "base/settings.hpp"

namespace {

constexpr char kHead[] = R"(# Settings

Environment variables that the library reads in `shmem_init`. A value that cannot be read is an error.
This page is generated: `build/release/bin/settings_doc > docs/settings.md`.

| variable | takes | when not set | meaning |
|---|---|---|---|
)";

constexpr char kFoot[] = R"(
[shmem-info](shmem-info.md) shows the settings that are in use and where each comes from; so does a job with
`SHMEM_INFO=1`.

A variable that begins with `SHMEM_` and is no setting is ignored, and PE 0 warns of it once, with the name that may
have been meant. No warning comes for what is not the library's to judge: `SHMEM_JOB_...` (the launcher's),
`SHMEM_TEST_...`, and names that say where something is installed, which end in `_HOME`, `_ROOT`, `_DIR`, `_PATH`,
`_PREFIX`, `_LIB` or `_INCLUDE`.
)";

} // namespace

int main() {
    fmt::print("{}", kHead);
    for (const shm::Setting& setting : shm::settings_table())
        fmt::print("| `{}` | {} | {} | {} |\n", setting.variable, setting.takes, setting.otherwise,
                   setting.meaning);
    fmt::print("{}", kFoot);
}

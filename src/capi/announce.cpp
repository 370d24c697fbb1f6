// SPDX-License-Identifier: Apache-2.0
#include "capi/announce.hpp"

#include <cstdlib>

#include <unistd.h>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/version.hpp"

namespace shm::capi {

void announce(const Settings& settings) {
    log::set_pe(0);
    for (const std::string& warning : unknown_settings(environ))
        log::warn("{}", warning);
    if (settings.version)
        log::line(format_text("SHMEM {}, written for OpenSHMEM {}", kVersion, kOpenShmemLevel));
    if (!settings.info)
        return;
    for (const SettingInUse& now : settings_in_use(std::getenv))
        log::line(format_text("{} = {}: takes {}. {}", now.setting->variable, now.text(), now.setting->takes,
                              now.setting->meaning));
}

} // namespace shm::capi

// SPDX-License-Identifier: Apache-2.0
#include "base/cpus.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <sstream>

#include <pthread.h>

namespace shm {
namespace {

std::optional<double> quota_of(const Cgroup::Level& level) {
    if (level.version == Cgroup::Version::v2) {
        std::istringstream text(level.text("cpu.max").value_or("max"));
        double quota = 0;
        double period = 0;
        if (text >> quota >> period && period > 0)
            return quota / period;
        return std::nullopt;
    }
    auto quota = level.number("cpu.cfs_quota_us"); // "-1": none, and no unsigned number
    auto period = level.number("cpu.cfs_period_us");
    if (!quota || !period || *period == 0)
        return std::nullopt;
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

int first_cpu(const cpu_set_t& cpus) {
    int cpu = 0;
    while (!CPU_ISSET(cpu, &cpus))
        ++cpu;
    return cpu;
}

} // namespace

cpu_set_t usable_cpus() {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        CPU_SET(0, &cpus);
    return cpus;
}

int cpu_quota(const Cgroup& cgroup) {
    double least = INT_MAX;
    for (const Cgroup::Level& level : cgroup.levels())
        least = std::min(least, quota_of(level).value_or(least));
    return std::max(1, static_cast<int>(least + 0.999));
}

int usable_cpu_count() {
    cpu_set_t cpus = usable_cpus();
    return std::max(1, std::min(CPU_COUNT(&cpus), cpu_quota()));
}

Result<void> pin_to_first_cpu() {
    cpu_set_t all = usable_cpus();
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(first_cpu(all), &first);

    // A new thread inherits its creator's affinity unless the default attributes hold one.
    pthread_attr_t attributes;
    int error = ::pthread_getattr_default_np(&attributes);
    if (error == 0) {
        error = ::pthread_attr_setaffinity_np(&attributes, sizeof all, &all);
        if (error == 0)
            error = ::pthread_setattr_default_np(&attributes);
        ::pthread_attr_destroy(&attributes);
    }
    if (error != 0)
        return fail("cannot give new threads all CPUs of this PE").because(system_error(error));
    if (::sched_setaffinity(0, sizeof first, &first) != 0)
        return fail("cannot pin the main thread to CPU {}", first_cpu(all)).because(system_error());
    return {};
}

} // namespace shm

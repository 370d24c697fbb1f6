// SPDX-License-Identifier: Apache-2.0
#include "capi/lone_pe.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/log.hpp"
#include "capi/instance.hpp"
#include "core/wait_table.hpp"

namespace shm::capi {
namespace {

using Time = Waiter::Clock::duration;

/// A setting's time; 0 means never.
Time time_of(std::chrono::milliseconds setting) {
    return setting.count() == 0 ? Time::max() : Time(setting);
}

template <typename Word>
std::uint64_t load(std::uint64_t address) {
    // relaxed: shown to people.
    return std::atomic_ref(*reinterpret_cast<Word*>(address)).load(std::memory_order_relaxed);
}

std::uint64_t load(const WaitView& view) {
    switch (view.word_bytes) {
    case 1:
        return load<std::uint8_t>(view.address);
    case 2:
        return load<std::uint16_t>(view.address);
    case 4:
        return load<std::uint32_t>(view.address);
    default:
        return load<std::uint64_t>(view.address);
    }
}

/// The table's row for a wait of this process's own.
WaitRow row_of(const WaitView& view, Time waited) {
    WaitRow row;
    row.doing = Doing::waiting;
    row.wait = view;
    row.waited = waited;
    if (view.what == WaitsFor::word)
        row.value = extended(view, load(view));
    return row;
}

Time next_report(Time first, Time waited) {
    Time next = first;
    while (next <= waited)
        next *= 2;
    return next;
}

} // namespace

void watch_own_waits(Runtime& runtime, const Settings& settings) {
    Time first = time_of(settings.stall_report);
    Time limit = time_of(settings.timeout);
    auto watch = [first, limit](const WaitView& view, Time waited) {
        WaitRow row = row_of(view, waited);
        if (waited >= limit)
            end_pe(view.call, fail("gives up after {:g} s (SHMEM_TIMEOUT), still waiting for {}",
                                   std::chrono::duration<double>(limit).count(), wanted_text(row)));
        if (waited >= first)
            log::line(wait_text(row) + " (this PE is alone: the program was started without shmemrun)");
        return std::min(limit, next_report(first, waited));
    };
    runtime.waiter().set_watch(std::min(first, limit), watch);
}

} // namespace shm::capi

// SPDX-License-Identifier: Apache-2.0
#include "core/event.hpp"
#include "capi/instance.hpp"
#include "shmem/detail/checked.h"
#include "shmemx.h"

static_assert(SHMEMX_EVENTS == shm::kEvents);

namespace shm::capi {
namespace {

bool valid(int id) {
    return static_cast<unsigned>(id) < kEvents;
}

Error explain_id(int id) {
    return fail("id = {} is out of range: events have numbers 0 to {}", id, kEvents - 1);
}

Result<void> signal_event(int id, int pe) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (!valid(id)) [[unlikely]]
            return explain_id(id);
        if (!runtime.valid_pe(pe)) [[unlikely]]
            return runtime.explain_pe(pe);
        PeSlot& slot = *runtime.peer(pe).slot;
        slot.events.signal(id, slot.wake_up);
        return {};
    });
}

Result<void> signal_event_all(int id) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (!valid(id)) [[unlikely]]
            return explain_id(id);
        for (int pe = 0; pe < runtime.n_pes(); ++pe) {
            PeSlot& slot = *runtime.peer(pe).slot;
            if (pe != runtime.my_pe())
                slot.events.signal(id, slot.wake_up);
        }
        return {};
    });
}

Result<void> wait_event(const char* call, int id) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (!valid(id)) [[unlikely]]
            return explain_id(id);
        runtime.own_slot().events.wait(call, id, runtime.waiter());
        return {};
    });
}

} // namespace
} // namespace shm::capi

using namespace shm;

extern "C" {

void shmemx_signal_event(int id, int pe) {
    capi::require(__func__, capi::signal_event(id, pe));
}
void shmemx_signal_event_all(int id) {
    capi::require(__func__, capi::signal_event_all(id));
}
void shmemx_wait_event(int id) {
    capi::require(__func__, capi::wait_event(__func__, id));
}

int shmemx_checked_signal_event(int id, int pe) {
    return capi::report(capi::signal_event(id, pe));
}
int shmemx_checked_signal_event_all(int id) {
    return capi::report(capi::signal_event_all(id));
}
int shmemx_checked_wait_event(int id) {
    return capi::report(capi::wait_event("shmemx_wait_event", id));
}

} // extern "C"

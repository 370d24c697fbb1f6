// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "backend/host/memory.hpp"
#include "base/log.hpp"
#include "bootstrap/local/join.hpp"
#include "capi/announce.hpp"
#include "capi/fork.hpp"
#include "capi/inline_code.hpp"
#include "capi/instance.hpp"
#include "capi/lone_pe.hpp"
#include "shmem.h"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

int init_count = 0; // how often the library must still be finalized
bool is_alone = false;
bool exiting = false; // by shmem_global_exit

/// Runs at exit, behind the program's own exit handlers and destructors: they may finalize.
[[gnu::destructor]] void leave_unfinished() {
    if (instance && instance->exit_unfinished() && is_alone) // else the launcher tells, once for all PEs
        log::warn("ended without shmem_finalize: call it last");
}

void debug_start(Runtime& runtime) {
    const PeSlot& slot = runtime.own_slot();
    log::debug("shmem_init: process {} is one of {} PEs, on {} CPUs, {} membarrier", ::getpid(),
               runtime.n_pes(), CPU_COUNT(&slot.usable_cpus), slot.has_membarrier ? "with" : "without");
}

Result<void> init() {
    if (is_forked_child())
        return used_after_fork();
    if (!instance) {
        auto settings = Settings::from_environment();
        if (!settings)
            return settings.error();
        auto seat = local::join();
        if (!seat)
            return seat.error();
        bool alone = seat->alone;
        log::set_debug(settings->debug);
        if (seat->pe == 0 && generation == 0)
            announce(*settings);
        auto runtime = Runtime::start(std::move(*seat), *settings, host::map_heaps);
        if (!runtime)
            return runtime.error();
        instance = runtime->release();
        if (alone)
            watch_own_waits(*instance, *settings);
        allow_inline_code(*instance);
        ++generation;
        is_alone = alone;
        watch_forks();
        debug_start(*instance);
    }
    ++init_count;
    return {};
}

Result<void> finalize() {
    return with_instance([](Runtime& runtime) -> Result<void> {
        if (--init_count > 0) {
            runtime.barrier().wait("shmem_finalize");
            return {};
        }
        log::debug("shmem_finalize: waits for the other PEs to finalize");
        forbid_inline_code();
        delete std::exchange(instance, nullptr);
        log::debug("shmem_finalize: has left the job");
        return {};
    });
}

Result<void> global_exit(int status) {
    return with_instance([status](Runtime& runtime) -> Result<void> {
        runtime.announce_global_exit(status);
        exiting = true;
        std::exit(status);
    });
}

Result<int> my_pe() {
    return with_instance([](Runtime& runtime) -> Result<int> { return runtime.my_pe(); });
}

Result<int> n_pes() {
    return with_instance([](Runtime& runtime) -> Result<int> { return runtime.n_pes(); });
}

} // namespace
} // namespace shm::capi

using namespace shm;

extern "C" {

void shmem_init(void) {
    capi::require(__func__, capi::init());
}
void shmem_finalize(void) {
    capi::require(__func__, capi::finalize());
}
void shmem_global_exit(int status) {
    capi::require(__func__, capi::global_exit(status));
    __builtin_unreachable(); // a mistake has ended the process too
}
int shmem_my_pe(void) {
    return capi::require(__func__, capi::my_pe());
}
int shmem_n_pes(void) {
    return capi::require(__func__, capi::n_pes());
}

int shmemx_checked_init(void) {
    return capi::report(capi::init());
}
int shmemx_checked_finalize(void) {
    return capi::report(capi::finalize());
}
int shmemx_checked_global_exit(int status) {
    return capi::report(capi::global_exit(status));
}
int shmemx_checked_initialized(void) {
    // While a global exit runs exit handlers, nothing may begin a collective call, such as a Buffer's free.
    return capi::instance && !capi::exiting ? capi::generation : 0;
}
int shmemx_checked_my_pe(int* my_pe) {
    return capi::report(capi::my_pe(), my_pe);
}
int shmemx_checked_n_pes(int* n_pes) {
    return capi::report(capi::n_pes(), n_pes);
}

} // extern "C"

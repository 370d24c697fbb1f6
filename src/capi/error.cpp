// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "base/format.hpp"
#include "base/log.hpp"
#include "capi/fork.hpp"
#include "capi/instance.hpp"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

thread_local std::vector<std::string> kept_reasons;

/// The slot of this PE; null in a child that the PE has forked: what that does wrong is not the PE's mistake.
PeSlot* own_slot() {
    if (!instance)
        return nullptr;
    PeSlot& slot = instance->own_slot();
    return slot.process.load(std::memory_order_relaxed) == ::getpid() ? &slot : nullptr;
}

} // namespace

Runtime* instance = nullptr;
int generation = 0;

Error used_after_fork() {
    return fail(
        "used after fork: this process is a child of the PE that called shmem_init, and only the PE itself "
        "can use the library");
}

Error not_initialised() {
    if (is_forked_child())
        return used_after_fork();
    // Until shmem_init, the launcher's variable alone tells which PE this is.
    if (const char* pe = std::getenv(kJobPeVariable); pe && generation == 0)
        log::set_pe(std::atoi(pe));
    if (generation > 0)
        return fail("the library is finalized already: call shmem_finalize last, or shmem_init again");
    return fail("the library is not initialised: call shmem_init first, shmem_finalize last");
}

void end_pe(const char* function, const Error& error) {
    std::string text = format_text("{}: {}", function, error.text());
    bool launcher_tells = error.is_alike_on_all_pes();
    if (!launcher_tells)
        log::line(text);
    if (PeSlot* slot = own_slot())
        slot->fail(launcher_tells ? text : "");
    // What the program printed must not be lost; handlers and destructors must not run in a broken job.
    std::fflush(stdout);
    ::_exit(EXIT_FAILURE);
}

int keep(const Error& error) {
    kept_reasons = error.reasons();
    return 1;
}

} // namespace shm::capi

extern "C" const char* shmemx_error_reason(size_t depth) {
    const auto& reasons = shm::capi::kept_reasons;
    return depth < reasons.size() ? reasons[depth].c_str() : nullptr;
}

// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "base/format.hpp"
#include "base/log.hpp"
#include "capi/instance.hpp"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

thread_local std::vector<std::string> kept_reasons;

void tell_launcher(const std::string& text) {
    PeSlot& slot = instance->own_slot();
    std::size_t length = std::min(text.size(), sizeof slot.failure - 1);
    std::memcpy(slot.failure, text.data(), length);
    slot.failure[length] = 0;
    // release: who sees the phase sees the text.
    slot.phase.store(Phase::failed, std::memory_order_release);
}

} // namespace

Runtime* instance = nullptr;

Error not_initialised() {
    return fail("the library is not initialised: call shmem_init first, shmem_finalize last");
}

void end_pe(const char* function, const Error& error) {
    std::string text = format_text("{}: {}", function, error.text());
    log::line(text);
    if (instance)
        tell_launcher(text);
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

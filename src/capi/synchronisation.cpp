// SPDX-License-Identifier: Apache-2.0
#include "capi/instance.hpp"
#include "core/word.hpp"
#include "shmem.h"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

Result<Comparison> comparison(int cmp) {
    if (cmp < SHMEM_CMP_EQ || cmp > SHMEM_CMP_LE)
        return fail(
            "cmp = {} must be SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_GE, SHMEM_CMP_LT or "
            "SHMEM_CMP_LE",
            cmp);
    static_assert(SHMEM_CMP_EQ == 1 && SHMEM_CMP_NE == 2 && SHMEM_CMP_GT == 3 && SHMEM_CMP_GE == 4 &&
                  SHMEM_CMP_LT == 5 && SHMEM_CMP_LE == 6);
    return static_cast<Comparison>(cmp - SHMEM_CMP_EQ);
}

Result<std::uint64_t> wait_until(const char* call, const char* argument, const std::uint64_t* word, int cmp,
                                 std::uint64_t value) {
    return with_instance([&](Runtime& runtime) -> Result<std::uint64_t> {
        auto compare = comparison(cmp);
        if (!compare)
            return compare.error();
        auto position = check_word(runtime, argument, word);
        if (!position)
            return position.error();
        return shm::wait_until(runtime, call, word, *position, *compare, value);
    });
}

Result<std::uint64_t> fetch(const std::uint64_t* sig_addr) {
    return with_instance([&](Runtime& runtime) -> Result<std::uint64_t> {
        if (auto checked = check_word(runtime, "sig_addr", sig_addr); !checked)
            return checked.error();
        return load_word(sig_addr);
    });
}

// While every peer's memory is mapped, stores are complete once the barrier's own stores are seen: there is
// nothing for barrier_all to complete beyond what sync_all orders.
Result<void> barrier_all(const char* call) {
    return with_instance([call](Runtime& runtime) -> Result<void> {
        runtime.barrier().wait(call);
        return {};
    });
}

} // namespace
} // namespace shm::capi

using namespace shm;

extern "C" {

uint64_t shmem_signal_fetch(const uint64_t* sig_addr) {
    return capi::require(__func__, capi::fetch(sig_addr));
}
uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value) {
    return capi::require(__func__, capi::wait_until(__func__, "sig_addr", sig_addr, cmp, cmp_value));
}
void shmem_uint64_wait_until(uint64_t* ivar, int cmp, uint64_t cmp_value) {
    capi::require(__func__, capi::wait_until(__func__, "ivar", ivar, cmp, cmp_value));
}
void shmem_barrier_all(void) {
    capi::require(__func__, capi::barrier_all(__func__));
}
void shmem_sync_all(void) {
    capi::require(__func__, capi::barrier_all(__func__));
}

int shmemx_checked_signal_fetch(const uint64_t* sig_addr, uint64_t* value) {
    return capi::report(capi::fetch(sig_addr), value);
}
int shmemx_checked_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value, uint64_t* value) {
    return capi::report(capi::wait_until("shmem_signal_wait_until", "sig_addr", sig_addr, cmp, cmp_value),
                        value);
}
int shmemx_checked_barrier_all(void) {
    return capi::report(capi::barrier_all("shmem_barrier_all"));
}
int shmemx_checked_sync_all(void) {
    return capi::report(capi::barrier_all("shmem_sync_all"));
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0
#include "core/rma.hpp"
#include "capi/instance.hpp"
#include "shmem.h"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

Result<void> put(void* dest, const void* source, std::size_t bytes, int pe) {
    return with_instance([&](Runtime& runtime) { return shm::put(runtime, dest, source, bytes, pe); });
}

Result<void> get(void* dest, const void* source, std::size_t bytes, int pe) {
    return with_instance([&](Runtime& runtime) { return shm::get(runtime, dest, source, bytes, pe); });
}

Result<void> put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* sig_addr,
                        std::uint64_t signal, int sig_op, int pe) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
            return fail("sig_op = {} must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
        auto operation = sig_op == SHMEM_SIGNAL_SET ? SignalOperation::set : SignalOperation::add;
        return shm::put_signal(runtime, dest, source, bytes, sig_addr, signal, operation, pe);
    });
}

Result<void> fence() {
    return with_instance([](Runtime&) -> Result<void> {
        shm::fence();
        return {};
    });
}

Result<void> quiet() {
    return with_instance([](Runtime&) -> Result<void> {
        shm::quiet();
        return {};
    });
}

/// The form that names the target first: the PE may be any integer, and the arguments have other names.
Result<int> target(Runtime& runtime, long long pe) {
    if (pe < 0 || pe >= runtime.n_pes())
        return runtime.explain_pe(pe, "target_pe");
    return static_cast<int>(pe);
}

Result<void> put_to(long long target_pe, const void* local, void* remote, std::size_t bytes) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        auto pe = target(runtime, target_pe);
        if (!pe)
            return pe.error();
        return shm::put(runtime, remote, local, bytes, *pe, kTargetFirstNames);
    });
}

Result<void> get_from(long long target_pe, void* local, const void* remote, std::size_t bytes) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        auto pe = target(runtime, target_pe);
        if (!pe)
            return pe.error();
        return shm::get(runtime, local, remote, bytes, *pe, kTargetFirstNames);
    });
}

} // namespace
} // namespace shm::capi

using namespace shm;

// Peers whose memory is mapped complete every operation at once: there the _nbi forms are the blocking ones.
extern "C" {

void shmem_putmem(void* dest, const void* source, size_t nelems, int pe) {
    capi::require(__func__, capi::put(dest, source, nelems, pe));
}
void shmem_getmem(void* dest, const void* source, size_t nelems, int pe) {
    capi::require(__func__, capi::get(dest, source, nelems, pe));
}
void shmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe) {
    capi::require(__func__, capi::put(dest, source, nelems, pe));
}
void shmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe) {
    capi::require(__func__, capi::get(dest, source, nelems, pe));
}

// The names for profilers, and for inline code where it leaves the work to the library.
void pshmem_putmem(void* dest, const void* source, size_t nelems, int pe)
    __attribute__((alias("shmem_putmem")));
void pshmem_getmem(void* dest, const void* source, size_t nelems, int pe)
    __attribute__((alias("shmem_getmem")));
void pshmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe)
    __attribute__((alias("shmem_putmem_nbi")));
void pshmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe)
    __attribute__((alias("shmem_getmem_nbi")));

void shmem_putmem_signal(void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal,
                         int sig_op, int pe) {
    capi::require(__func__, capi::put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe));
}
void shmem_fence(void) {
    capi::require(__func__, capi::fence());
}
void shmem_quiet(void) {
    capi::require(__func__, capi::quiet());
}

void shmemx_put_to(long long target_pe, const void* local, void* remote, size_t bytes) {
    capi::require("shmem_put", capi::put_to(target_pe, local, remote, bytes));
}
void shmemx_get_from(long long target_pe, void* local, const void* remote, size_t bytes) {
    capi::require("shmem_get", capi::get_from(target_pe, local, remote, bytes));
}

int shmemx_checked_put(void* dest, const void* source, size_t bytes, int pe) {
    return capi::report(capi::put(dest, source, bytes, pe));
}
int shmemx_checked_get(void* dest, const void* source, size_t bytes, int pe) {
    return capi::report(capi::get(dest, source, bytes, pe));
}
int shmemx_checked_put_nbi(void* dest, const void* source, size_t bytes, int pe) {
    return capi::report(capi::put(dest, source, bytes, pe));
}
int shmemx_checked_get_nbi(void* dest, const void* source, size_t bytes, int pe) {
    return capi::report(capi::get(dest, source, bytes, pe));
}
int shmemx_checked_put_signal(void* dest, const void* source, size_t bytes, uint64_t* sig_addr,
                              uint64_t signal, int sig_op, int pe) {
    return capi::report(capi::put_signal(dest, source, bytes, sig_addr, signal, sig_op, pe));
}
int shmemx_checked_fence(void) {
    return capi::report(capi::fence());
}
int shmemx_checked_quiet(void) {
    return capi::report(capi::quiet());
}

} // extern "C"

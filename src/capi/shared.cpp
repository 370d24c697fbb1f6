// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/log.hpp"
#include "capi/instance.hpp"
#include "shmem/detail/checked.h"
#include "shmemx.h"

namespace shm::capi {
namespace {

using Allocation = SharedBuffers::Allocation;

shmemx_shared_t handle_of(const SharedBuffer* buffer) {
    return reinterpret_cast<shmemx_shared_t>(const_cast<SharedBuffer*>(buffer));
}

Result<Allocation> allocate(std::size_t bytes, const int* pes, int n) {
    return with_instance([&](Runtime& runtime) -> Result<Allocation> {
        if (bytes == 0)
            return fail("bytes = 0: a shared buffer has at least one byte");
        if (!pes)
            return fail("pes = NULL: it must be the list of the PEs that share the buffer");
        if (n <= 0 || n > runtime.n_pes())
            return fail("n = {} must be the number of PEs in the list, 1 to {}", n, runtime.n_pes());
        auto domain = ShareDomain::of({pes, static_cast<std::size_t>(n)}, runtime.my_pe(), runtime.n_pes());
        if (!domain)
            return domain.error();
        return runtime.shared_buffers().allocate("shmemx_alloc_shared", *domain, bytes);
    });
}

/// The buffer that begins at `address`, under the argument's public name.
Result<const SharedBuffer*> buffer_at(Runtime& runtime, std::string_view argument, const void* address) {
    const SharedBuffer* buffer = runtime.shared_buffers().find(address);
    if (!buffer || buffer->address != address)
        return fail(
            "{} = {} is not a shared buffer of this PE: it has been freed already, or was never allocated",
            argument, address);
    return buffer;
}

/// The buffer of a handle, which may be one of a buffer that exists no more.
Result<const SharedBuffer*> buffer_of(Runtime& runtime, shmemx_shared_t handle) {
    auto* buffer = reinterpret_cast<const SharedBuffer*>(handle);
    if (!runtime.shared_buffers().has(buffer))
        return fail("handle = {} is not a shared buffer of this PE: it has been freed already, or was never "
                    "allocated",
                    static_cast<const void*>(handle));
    return buffer;
}

Result<void> free_handle(shmemx_shared_t handle) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (!handle)
            return {};
        auto buffer = buffer_of(runtime, handle);
        if (!buffer)
            return buffer.error();
        return runtime.shared_buffers().free("shmemx_free_shared", **buffer);
    });
}

Result<void> free_address(const void* address) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        auto buffer = buffer_at(runtime, "ptr", address);
        if (!buffer)
            return buffer.error();
        return runtime.shared_buffers().free("shmemx_free_shared", **buffer);
    });
}

Result<const SharedBuffer*> look_up(shmemx_shared_t handle) {
    return with_instance([&](Runtime& runtime) { return buffer_of(runtime, handle); });
}

} // namespace
} // namespace shm::capi

using namespace shm;

extern "C" {

int shmemx_alloc_shared(size_t bytes, const int* pes, int n, shmemx_shared_t* handle) {
    if (!handle)
        capi::end_pe(__func__, fail("handle = NULL: it must be where to put the buffer's handle"));
    auto allocation = capi::require(__func__, capi::allocate(bytes, pes, n));
    *handle = allocation ? capi::handle_of(*allocation) : nullptr;
    if (allocation)
        return 0;
    if (*std::min_element(pes, pes + n) == capi::instance->my_pe())
        log::warn("{} makes no buffer: {}", __func__, allocation.error().text());
    return 1;
}
void* shmemx_shared_ptr(shmemx_shared_t handle) {
    return capi::require(__func__, capi::look_up(handle))->address;
}
size_t shmemx_shared_size(shmemx_shared_t handle) {
    return capi::require(__func__, capi::look_up(handle))->bytes;
}
void shmemx_free_shared(shmemx_shared_t handle) {
    capi::require(__func__, capi::free_handle(handle));
}

int shmemx_checked_alloc_shared(size_t bytes, const int* pes, int n, void** object) {
    auto allocation = capi::allocate(bytes, pes, n);
    if (!allocation)
        return capi::keep(allocation.error());
    if (!*allocation)
        return capi::keep(allocation->error());
    *object = (**allocation)->address;
    return 0;
}
int shmemx_checked_free_shared(void* object) {
    return capi::report(capi::free_address(object));
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <limits>

#include "base/log.hpp"
#include "capi/instance.hpp"
#include "shmem.h"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

using Allocation = Runtime::Allocation;

// OpenSHMEM: a size of zero gives NULL, without a barrier.
Result<Allocation> allocate(const char* call, std::size_t bytes, std::size_t alignment) {
    return with_instance([&](Runtime& runtime) -> Result<Allocation> {
        return bytes == 0 ? Allocation(nullptr) : runtime.allocate(call, bytes, alignment);
    });
}

Result<Allocation> allocate_aligned(const char* call, std::size_t alignment, std::size_t bytes) {
    if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0)
        return fail("alignment = {} must be a power of two and a multiple of {}", alignment, sizeof(void*));
    return allocate(call, bytes, alignment);
}

Result<Allocation> allocate_zeroed(const char* call, std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = std::numeric_limits<std::size_t>::max(); // there is no room for that either
    auto allocation = allocate(call, bytes, 1);
    if (allocation && *allocation && **allocation) {
        std::memset(**allocation, 0, bytes);
        instance->barrier().wait(call); // nobody sees another PE's object before it is zero
    }
    return allocation;
}

Result<void> free(const char* call, void* object) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (!object)
            return {};
        if (!runtime.begins_object(object))
            return runtime.explain_no_object("ptr", object);
        return runtime.free(call, object);
    });
}

Result<Allocation> reallocate(const char* call, void* object, std::size_t bytes) {
    if (!object)
        return allocate(call, bytes, 1);
    return with_instance([&](Runtime& runtime) -> Result<Allocation> {
        if (!runtime.begins_object(object))
            return runtime.explain_no_object("ptr", object);
        if (bytes > 0)
            return runtime.reallocate(call, object, bytes);
        if (auto freed = runtime.free(call, object); !freed)
            return freed.error();
        return Allocation(nullptr);
    });
}

Result<void*> pointer(const void* dest, int pe) {
    return with_instance([&](Runtime& runtime) -> Result<void*> {
        if (!runtime.valid_pe(pe))
            return runtime.explain_pe(pe);
        Target target;
        void* none = nullptr;
        return runtime.locate(dest, 1, pe, target) ? target.there : none;
    });
}

/// For the C face: misuse ends the PE, a lack of memory is NULL with one warning for all PEs.
void* object_or_null(const char* function, Result<Allocation> result) {
    Allocation allocation = require(function, std::move(result));
    if (allocation)
        return *allocation;
    if (instance->my_pe() == 0)
        log::warn("{} returns NULL: {}", function, allocation.error().text());
    return nullptr;
}

/// For the C++ face: either is an error.
int report_object(Result<Allocation> result, void** object) {
    return result ? report(std::move(*result), object) : keep(result.error());
}

} // namespace
} // namespace shm::capi

using namespace shm;

extern "C" {

void* shmem_malloc(size_t size) {
    return capi::object_or_null(__func__, capi::allocate(__func__, size, 1));
}
void* shmem_calloc(size_t count, size_t size) {
    return capi::object_or_null(__func__, capi::allocate_zeroed(__func__, count, size));
}
void* shmem_align(size_t alignment, size_t size) {
    return capi::object_or_null(__func__, capi::allocate_aligned(__func__, alignment, size));
}
void* shmem_realloc(void* ptr, size_t size) {
    return capi::object_or_null(__func__, capi::reallocate(__func__, ptr, size));
}
void shmem_free(void* ptr) {
    capi::require(__func__, capi::free(__func__, ptr));
}
void* shmem_ptr(const void* dest, int pe) {
    return capi::require(__func__, capi::pointer(dest, pe));
}

int shmemx_checked_malloc(size_t size, void** object) {
    return capi::report_object(capi::allocate("shmem_malloc", size, 1), object);
}
int shmemx_checked_calloc(size_t count, size_t size, void** object) {
    return capi::report_object(capi::allocate_zeroed("shmem_calloc", count, size), object);
}
int shmemx_checked_free(void* object) {
    return capi::report(capi::free("shmem_free", object));
}
int shmemx_checked_ptr(const void* dest, int pe, void** there) {
    return capi::report(capi::pointer(dest, pe), there);
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "base/log.hpp"
#include "capi/instance.hpp"
#include "shmem.h"
#include "shmem/detail/checked.h"

namespace shm::capi {
namespace {

/// What a collective allocation gives: an object, or why there is none on any PE.
using Allocation = Result<void*>;

// OpenSHMEM: a size of zero gives NULL, without a barrier.
Result<Allocation> allocate(std::size_t bytes, std::size_t alignment) {
    return with_instance([&](Runtime& runtime) -> Result<Allocation> {
        return bytes == 0 ? Allocation(nullptr) : runtime.allocate(bytes, alignment);
    });
}

Result<Allocation> allocate_aligned(std::size_t alignment, std::size_t bytes) {
    if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0)
        return fail("alignment = {} must be a power of two and a multiple of {}", alignment, sizeof(void*));
    return allocate(bytes, alignment);
}

Result<Allocation> allocate_zeroed(std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        return with_instance([&](Runtime& runtime) -> Result<Allocation> {
            runtime.barrier().wait("shmem_calloc"); // as after any other answer
            return Allocation(
                fail("count = {} objects of size = {} bytes are more than any memory", count, size));
        });
    auto allocation = allocate(bytes, 1);
    if (allocation && *allocation && **allocation) {
        std::memset(**allocation, 0, bytes);
        instance->barrier().wait("shmem_calloc"); // nobody sees another PE's object before it is zero
    }
    return allocation;
}

Error explain_object(const void* object) {
    return fail(
        "ptr = {} is not the beginning of a symmetric object: it was never allocated or is already freed",
        object);
}

Result<void> free(void* object) {
    return with_instance([&](Runtime& runtime) -> Result<void> {
        if (!object)
            return {};
        if (!runtime.begins_object(object))
            return explain_object(object);
        runtime.free(object);
        return {};
    });
}

Result<Allocation> reallocate(void* object, std::size_t bytes) {
    if (!object)
        return allocate(bytes, 1);
    return with_instance([&](Runtime& runtime) -> Result<Allocation> {
        if (!runtime.begins_object(object))
            return explain_object(object);
        if (bytes > 0)
            return runtime.reallocate(object, bytes);
        runtime.free(object);
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
        log::warn("{}: {}", function, allocation.error().text());
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
    return capi::object_or_null(__func__, capi::allocate(size, 1));
}
void* shmem_calloc(size_t count, size_t size) {
    return capi::object_or_null(__func__, capi::allocate_zeroed(count, size));
}
void* shmem_align(size_t alignment, size_t size) {
    return capi::object_or_null(__func__, capi::allocate_aligned(alignment, size));
}
void* shmem_realloc(void* ptr, size_t size) {
    return capi::object_or_null(__func__, capi::reallocate(ptr, size));
}
void shmem_free(void* ptr) {
    capi::require(__func__, capi::free(ptr));
}
void* shmem_ptr(const void* dest, int pe) {
    return capi::require(__func__, capi::pointer(dest, pe));
}

int shmemx_checked_malloc(size_t size, void** object) {
    return capi::report_object(capi::allocate(size, 1), object);
}
int shmemx_checked_calloc(size_t count, size_t size, void** object) {
    return capi::report_object(capi::allocate_zeroed(count, size), object);
}
int shmemx_checked_free(void* object) {
    return capi::report(capi::free(object));
}
int shmemx_checked_ptr(const void* dest, int pe, void** there) {
    return capi::report(capi::pointer(dest, pe), there);
}

} // extern "C"

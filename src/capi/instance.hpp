// SPDX-License-Identifier: Apache-2.0
// The one runtime of this process, and how the faces of the library meet a mistake.
#pragma once

#include <utility>

#include "base/result.hpp"
#include "core/runtime.hpp"

namespace shm::capi {

/// Null before shmem_init and after shmem_finalize. Only shmem_finalize ends it: a process that exits
/// otherwise must not wait for the others on its way out.
extern Runtime* instance;
/// How often the library was started.
extern int generation;

Error not_initialised();
Error used_after_fork();

/// Prints the error under the public function's name, tells the launcher, and ends this process.
[[noreturn]] void end_pe(const char* function, const Error& error);

/// Keeps the error for shmemx_error_reason and returns non-zero.
int keep(const Error& error);

/// For the C face: a mistake ends the PE.
inline void require(const char* function, const Result<void>& result) {
    if (!result) [[unlikely]]
        end_pe(function, result.error());
}
template <typename T>
T require(const char* function, Result<T> result) {
    if (!result) [[unlikely]]
        end_pe(function, result.error());
    return std::move(*result);
}

/// For the C++ face: a mistake is handed to the caller.
inline int report(const Result<void>& result) {
    return result ? 0 : keep(result.error());
}
template <typename T>
int report(Result<T> result, T* value) {
    if (!result)
        return keep(result.error());
    *value = std::move(*result);
    return 0;
}

/// Calls `operation` with the runtime; an error outside init ... finalize.
template <typename Operation>
auto with_instance(Operation operation) -> decltype(operation(*instance)) {
    if (!instance) [[unlikely]]
        return not_initialised();
    return operation(*instance);
}

} // namespace shm::capi

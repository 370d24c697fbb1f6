// SPDX-License-Identifier: Apache-2.0
// Puts and gets: one question (is the peer reached by load and store? so far it always is), then the copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/copy.hpp"
#include "core/runtime.hpp"

namespace shm {

enum class SignalOperation { set, add };

/// What the public function calls the two addresses, for its messages. Passed by reference: a copy on the
/// stack for each transfer would cost more than a small one.
struct ArgumentNames {
    std::string_view remote, local;
};
inline constexpr ArgumentNames kPutNames{"dest", "source"};
inline constexpr ArgumentNames kGetNames{"source", "dest"};
inline constexpr ArgumentNames kTargetFirstNames{"remote", "local"};

inline Error explain_local(std::string_view argument) {
    return fail("{} = NULL: it must be a buffer of this PE", argument);
}

inline Result<void> put(Runtime& runtime, void* dest, const void* source, std::size_t bytes, int pe,
                        const ArgumentNames& names = kPutNames) {
    Target target;
    if (!runtime.locate(dest, bytes, pe, target)) [[unlikely]] {
        if (bytes == 0 && runtime.valid_pe(pe))
            return {};
        return runtime.explain_misuse(names.remote, dest, bytes, pe);
    }
    if (!source && bytes > 0) [[unlikely]]
        return explain_local(names.local);
    copy(target.there, source, bytes);
    target.notify(bytes);
    return {};
}

inline Result<void> get(Runtime& runtime, void* dest, const void* source, std::size_t bytes, int pe,
                        const ArgumentNames& names = kGetNames) {
    Target target;
    if (!runtime.locate(source, bytes, pe, target)) [[unlikely]] {
        if (bytes == 0 && runtime.valid_pe(pe))
            return {};
        return runtime.explain_misuse(names.remote, source, bytes, pe);
    }
    if (!dest && bytes > 0) [[unlikely]]
        return explain_local(names.local);
    copy(dest, target.there, bytes);
    return {};
}

/// Updates a signal word of a peer: who sees the update sees all that this thread did before.
inline void update_signal(const Target& target, std::uint64_t signal, SignalOperation operation) {
    std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(target.there));
    // release: publishes the data that goes with the signal; pairs with the acquire of the waits.
    if (operation == SignalOperation::set)
        word.store(signal, std::memory_order_release);
    else
        word.fetch_add(signal, std::memory_order_release);
    target.notify(sizeof signal);
}

inline Result<void> put_signal(Runtime& runtime, void* dest, const void* source, std::size_t bytes,
                               std::uint64_t* sig_addr, std::uint64_t signal, SignalOperation operation,
                               int pe) {
    Target word;
    if (!runtime.locate(sig_addr, sizeof *sig_addr, pe, word)) [[unlikely]]
        return runtime.explain_misuse("sig_addr", sig_addr, sizeof *sig_addr, pe);
    if (word.position % sizeof *sig_addr != 0) [[unlikely]]
        return fail("sig_addr = {} is not aligned: it must be a multiple of 8", static_cast<void*>(sig_addr));
    if (auto done = put(runtime, dest, source, bytes, pe); !done) [[unlikely]]
        return done;
    update_signal(word, signal, operation);
    return {};
}

/// Orders this thread's earlier puts, to each PE, before its later ones.
inline void fence() {
    release_fence();
}

/// Completes this thread's puts: no later load of its own is answered before they are visible everywhere.
inline void quiet() {
    full_fence();
}

} // namespace shm

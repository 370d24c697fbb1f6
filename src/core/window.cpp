// SPDX-License-Identifier: Apache-2.0
#include "core/window.hpp"

#include "base/shared_memory.hpp"

namespace shm {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kChoices = 1;
#else
constexpr std::uint64_t kChoices = 16;
#endif
constexpr std::uint64_t kStep = std::uint64_t{1} << 40;
constexpr std::uintptr_t kHighest = 0x550000000000; // executables are loaded from here up

} // namespace

Result<Window> agree_on_window(std::uint64_t bytes, Vote& vote) {
    std::uint64_t step = round_up(bytes, kStep);
    for (std::uint64_t choice = 0; choice < kChoices; ++choice) {
        std::uintptr_t begin = kWindowBase + choice * step;
        if (choice > 0 && begin + bytes > kHighest)
            break;
        // A program, or a library that it loaded, may have something there.
        auto reserved = reserve_addresses(reinterpret_cast<std::byte*>(begin), bytes);
        if (vote.unanimous("shmem_init", static_cast<bool>(reserved)))
            return Window{*reserved, true};
        if (reserved)
            unmap(*reserved, bytes);
    }
    auto reserved = reserve_addresses(nullptr, bytes, kWindowAlignment);
    if (!reserved)
        return reserved.error();
    return Window{*reserved, false};
}

} // namespace shm

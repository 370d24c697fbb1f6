// SPDX-License-Identifier: Apache-2.0
#include "base/copy.hpp"

#include <cstring>

// Sanitizers see into libc's memcpy, but not into string moves and non-temporal stores.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SHMEM_COPY_CHOOSES 1

#include <array>
#include <atomic>
#include <charconv>
#include <limits>

#include <cpuid.h>
#include <immintrin.h>
#include <unistd.h>

#include "base/file.hpp"
#endif

namespace shm::copy_detail {

#ifdef SHMEM_COPY_CHOOSES
namespace {

// The ways to copy. Each takes more than 128 bytes of any alignment and leaves no weakly ordered store.
using Way = void(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept;

void by_libc(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept {
    std::memcpy(dest, source, bytes);
}

void by_string_move(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept {
    asm volatile("rep movsb" : "+D"(dest), "+S"(source), "+c"(bytes) : : "memory");
}

[[gnu::target("avx512f")]] void by_avx512(std::byte* dest, const std::byte* source,
                                          std::size_t bytes) noexcept {
    std::byte* const last_dest = dest + bytes - 64;
    const __m512i last = _mm512_loadu_si512(source + bytes - 64);
    if (bytes >= 512) { // from here aligned stores pay for their one store more
        _mm512_storeu_si512(dest, _mm512_loadu_si512(source));
        const std::size_t head = 64 - (reinterpret_cast<std::uintptr_t>(dest) & 63);
        dest += head, source += head, bytes -= head;
    }
    for (; bytes > 256; dest += 256, source += 256, bytes -= 256) {
        const __m512i first = _mm512_loadu_si512(source);
        const __m512i second = _mm512_loadu_si512(source + 64);
        const __m512i third = _mm512_loadu_si512(source + 128);
        const __m512i fourth = _mm512_loadu_si512(source + 192);
        _mm512_storeu_si512(dest, first);
        _mm512_storeu_si512(dest + 64, second);
        _mm512_storeu_si512(dest + 128, third);
        _mm512_storeu_si512(dest + 192, fourth);
    }
    for (; bytes > 64; dest += 64, source += 64, bytes -= 64)
        _mm512_storeu_si512(dest, _mm512_loadu_si512(source));
    _mm512_storeu_si512(last_dest, last);
}

// Non-temporal stores do not read the destination first.
[[gnu::target("avx2")]] void by_avx2_streaming(std::byte* dest, const std::byte* source,
                                               std::size_t bytes) noexcept {
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(dest) & 63;
    std::memcpy(dest, source, head);
    dest += head, source += head, bytes -= head;
    for (; bytes >= 128; dest += 128, source += 128, bytes -= 128) {
        auto* to = reinterpret_cast<__m256i*>(dest);
        auto* from = reinterpret_cast<const __m256i*>(source);
        const __m256i first = _mm256_loadu_si256(from);
        const __m256i second = _mm256_loadu_si256(from + 1);
        const __m256i third = _mm256_loadu_si256(from + 2);
        const __m256i fourth = _mm256_loadu_si256(from + 3);
        _mm256_stream_si256(to, first);
        _mm256_stream_si256(to + 1, second);
        _mm256_stream_si256(to + 2, third);
        _mm256_stream_si256(to + 3, fourth);
    }
    _mm_sfence();
    std::memcpy(dest, source, bytes);
}

// The prefetch, which may run past the source, is worth 3 % with these stores, nothing with those above.
[[gnu::target("avx512f")]] void by_avx512_streaming(std::byte* dest, const std::byte* source,
                                                    std::size_t bytes) noexcept {
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(dest) & 63;
    std::memcpy(dest, source, head);
    dest += head, source += head, bytes -= head;
    for (; bytes >= 256; dest += 256, source += 256, bytes -= 256) {
        for (std::size_t line = 0; line < 256; line += 64)
            _mm_prefetch(reinterpret_cast<const char*>(source) + 512 + line, _MM_HINT_T0);
        const __m512i first = _mm512_loadu_si512(source);
        const __m512i second = _mm512_loadu_si512(source + 64);
        const __m512i third = _mm512_loadu_si512(source + 128);
        const __m512i fourth = _mm512_loadu_si512(source + 192);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(dest), first);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(dest + 64), second);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(dest + 128), third);
        _mm512_stream_si512(reinterpret_cast<__m512i*>(dest + 192), fourth);
    }
    _mm_sfence();
    std::memcpy(dest, source, bytes);
}

std::size_t first_level_cache() {
    const long bytes = ::sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 32 << 10;
}

// The part of the last-level cache that this CPU reaches; sysconf adds up the parts of a whole socket.
std::size_t last_level_cache() {
    if (const auto text = read_text("/sys/devices/system/cpu/cpu0/cache/index3/size")) { // "32768K"
        std::size_t kib = 0;
        std::from_chars(text->data(), text->data() + text->size(), kib);
        if (kib > 0)
            return kib << 10;
    }
    const long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 32 << 20;
}

bool has_fast_string_moves() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & (1U << 9)) != 0; // ERMS
}

struct Machine {
    // Half a cache: source and destination both fit.
    std::size_t half_first_level = first_level_cache() / 2;
    std::size_t half_last_level = last_level_cache() / 2;
    std::size_t endless = std::numeric_limits<std::size_t>::max();
    // CPUs without VBMI2 lower their clock for 64-byte registers.
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2");
    bool avx2 = __builtin_cpu_supports("avx2");
    bool string_moves = has_fast_string_moves();
    bool any = true;
};

struct Row {
    std::size_t Machine::*up_to;
    bool Machine::*needs;
    Way* way;
};

// A size takes the first row that covers it and that the machine can do. Measured in GB/s on an AMD EPYC of
// family 26 (48 KiB first level, 32 MiB last level), from private memory to a memfd, both of huge pages, each
// copy repeated:
//                        4 KiB  16 KiB  24 KiB  32 KiB  64 KiB  1 MiB  8 MiB  16 MiB  64 MiB  1 GiB
//   by_libc                141     167     170     170     130     61     60      28      17     20
//   by_avx512              263     269     260      98      98     61     53      23      18     17
//   by_string_move         142     164     169     168     131     68     63      43      26     26
//   by_avx2_streaming       20      32      32      35      37     40     39      34      26     26
//   by_avx512_streaming     20      33      31      36      37     39     36      32      26     26
// Where dest lies 1 to 63 bytes ahead of source modulo 4096, by_string_move falls to 17 from 64 MiB up and
// the streaming ones to 23; from 24 KiB to 8 MiB by_string_move stays as good as any.
// clang-format off
constexpr Row kRows[] = {
    {&Machine::half_first_level, &Machine::avx512,       by_avx512},
    {&Machine::half_first_level, &Machine::any,          by_libc},
    {&Machine::half_last_level,  &Machine::string_moves, by_string_move},
    {&Machine::half_last_level,  &Machine::any,          by_libc},
    {&Machine::endless,          &Machine::avx512,       by_avx512_streaming},
    {&Machine::endless,          &Machine::avx2,         by_avx2_streaming},
    {&Machine::endless,          &Machine::any,          by_libc},
};
// clang-format on

struct Choice {
    std::size_t up_to;
    Way* way;
};

using Choices = std::array<Choice, std::size(kRows)>;

Choices choose() {
    const Machine machine;
    Choices chosen{};
    std::size_t count = 0;
    for (const Row& row : kRows)
        if (machine.*row.needs)
            chosen[count++] = {machine.*row.up_to, row.way};
    return chosen;
}

// The first large copy goes through here, so that the others need no check whether the machine is known yet.
void choose_and_copy(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept;

constexpr Choice kUndecided = {std::numeric_limits<std::size_t>::max(), choose_and_copy};
constinit std::atomic<const Choice*> choices = &kUndecided;

void choose_and_copy(std::byte* dest, const std::byte* source, std::size_t bytes) noexcept {
    static const Choices chosen = choose();
    choices.store(chosen.data(), std::memory_order_release);
    copy_large(dest, source, bytes);
}

} // namespace

void copy_large(void* dest, const void* source, std::size_t bytes) noexcept {
    const Choice* choice = choices.load(std::memory_order_acquire);
    while (bytes > choice->up_to)
        ++choice;
    choice->way(static_cast<std::byte*>(dest), static_cast<const std::byte*>(source), bytes);
}

#else

void copy_large(void* dest, const void* source, std::size_t bytes) noexcept {
    std::memcpy(dest, source, bytes);
}

#endif

} // namespace shm::copy_detail

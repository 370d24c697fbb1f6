// SPDX-License-Identifier: Apache-2.0
#include "copy_kinds.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace shm::bench {

namespace {

void copy_memcpy(std::byte* destination, const std::byte* source, std::size_t bytes) {
    std::memcpy(destination, source, bytes);
}

#if defined(__x86_64__)

void copy_rep_movsb(std::byte* destination, const std::byte* source, std::size_t bytes) {
    asm volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(bytes) : : "memory");
}

/// Copies up to the next 64-byte boundary of the destination and returns how many bytes that were.
std::size_t copy_head(std::byte* destination, const std::byte* source, std::size_t bytes) {
    const std::size_t past_boundary = reinterpret_cast<std::uintptr_t>(destination) % 64;
    std::size_t head = past_boundary == 0 ? 0 : 64 - past_boundary;
    head = head < bytes ? head : bytes;
    std::memcpy(destination, source, head);
    return head;
}

__attribute__((target("avx2"))) void copy_avx2(std::byte* destination, const std::byte* source,
                                               std::size_t bytes) {
    std::size_t at = copy_head(destination, source, bytes);
    for (; at + 128 <= bytes; at += 128) {
        const auto* from = reinterpret_cast<const __m256i*>(source + at);
        auto* to = reinterpret_cast<__m256i*>(destination + at);
        const __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
        const __m256i c = _mm256_loadu_si256(from + 2), d = _mm256_loadu_si256(from + 3);
        _mm256_stream_si256(to, a);
        _mm256_stream_si256(to + 1, b);
        _mm256_stream_si256(to + 2, c);
        _mm256_stream_si256(to + 3, d);
    }
    std::memcpy(destination + at, source + at, bytes - at);
    _mm_sfence();
}

__attribute__((target("avx512f"))) void copy_avx512(std::byte* destination, const std::byte* source,
                                                    std::size_t bytes) {
    std::size_t at = copy_head(destination, source, bytes);
    for (; at + 256 <= bytes; at += 256) {
        const std::byte* from = source + at;
        auto* to = reinterpret_cast<__m512i*>(destination + at);
        const __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 64);
        const __m512i c = _mm512_loadu_si512(from + 128), d = _mm512_loadu_si512(from + 192);
        _mm512_stream_si512(to, a);
        _mm512_stream_si512(to + 1, b);
        _mm512_stream_si512(to + 2, c);
        _mm512_stream_si512(to + 3, d);
    }
    std::memcpy(destination + at, source + at, bytes - at);
    _mm_sfence();
}

std::vector<CopyKind> find_copy_kinds() {
    std::vector<CopyKind> kinds{{"memcpy", copy_memcpy}, {"rep movsb", copy_rep_movsb}};
    if (__builtin_cpu_supports("avx2"))
        kinds.push_back({"AVX2 non-temporal", copy_avx2});
    if (__builtin_cpu_supports("avx512f"))
        kinds.push_back({"AVX-512 non-temporal", copy_avx512});
    return kinds;
}

#else

/// A loop of 64-byte pieces that the compiler turns into vector registers.
void copy_loop(std::byte* destination, const std::byte* source, std::size_t bytes) {
    struct Piece {
        std::uint64_t words[8];
    };
    std::size_t at = 0;
    for (; at + sizeof(Piece) <= bytes; at += sizeof(Piece)) {
        Piece piece;
        std::memcpy(&piece, source + at, sizeof piece);
        std::memcpy(destination + at, &piece, sizeof piece);
    }
    std::memcpy(destination + at, source + at, bytes - at);
}

std::vector<CopyKind> find_copy_kinds() {
    return {{"memcpy", copy_memcpy}, {"loop", copy_loop}};
}

#endif

} // namespace

const std::vector<CopyKind>& copy_kinds() {
    static const std::vector<CopyKind> kinds = find_copy_kinds();
    return kinds;
}

const std::vector<CopyKind>& ring_copy_kinds() {
    static const std::vector<CopyKind> kinds = [] {
        std::vector<CopyKind> all = copy_kinds();
        if (all.size() > 3)
            all.erase(all.begin() + 2, all.end() - 1);
        return all;
    }();
    return kinds;
}

} // namespace shm::bench

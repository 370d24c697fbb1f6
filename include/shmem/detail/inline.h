/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts and gets of 1, 2, 4, 8 or 16 bytes, a size known to the compiler, without a call: one check, one add,
 * one store or load and, for a put, one look whether somebody sleeps on what was written. Whatever is not the
 * plain case (a mistake, a shared buffer, a range across two cache lines, a process that is no PE) is left to
 * the library's function. As the standard allows, a profiler does not see these; -DSHMEM_NO_INLINE restores
 * the calls, and so does compiling without optimisation.
 *
 * In this file a function that returns an int says with 0 that it has done nothing.
 */
#ifndef SHMEM_DETAIL_INLINE_H
#define SHMEM_DETAIL_INLINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What a PE knows of another one (or of itself). */
struct shmemx_fast_peer {
    ptrdiff_t delta;           /* from a symmetric address to where this process reaches the peer's object */
    const uint64_t* announced; /* not 0 while somebody sleeps until memory of the peer is written */
};

/* What inline code needs of the library. Programs have it compiled in: another layout is another number in
   the names. */
struct shmemx_fast {
    uintptr_t heap_begin;       /* a multiple of 64 */
    uintptr_t heap_bytes;       /* 0: nothing may be done inline */
    const unsigned char* lines; /* for each 64 bytes of the heap: twice the number of those, from their start,
                                   that belong to an object, plus 1 if one begins there */
    unsigned n_pes;             /* so many shmemx_fast_peer follow in memory */
};

/* Never null. Points to something that allows nothing before shmem_init, after shmem_finalize, in a forked
   child, and where a put needs a fence before it may look for sleepers. */
extern const struct shmemx_fast* shmemx_fast_1;

/* Wakes those who sleep until these bytes are written. For the writer, after its store. */
void shmemx_wake(const void* dest, size_t bytes, int pe) __attribute__((cold));

/* The library's functions under the names that the standard has for profilers. */
void pshmem_putmem(void* dest, const void* source, size_t nelems, int pe);
void pshmem_getmem(void* dest, const void* source, size_t nelems, int pe);
void pshmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe);
void pshmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe);

#pragma GCC visibility pop

/* Never emitted: where the address is taken, it is that of the library's function. */
#define SHMEM_DETAIL_INLINE extern inline __attribute__((gnu_inline, always_inline))

#if defined(__OPTIMIZE__) && !defined(SHMEM_NO_INLINE)

/* Units of any alignment in objects of any type. */
typedef uint8_t __attribute__((may_alias)) shmemx_unit_1;
typedef uint16_t __attribute__((may_alias, aligned(1))) shmemx_unit_2;
typedef uint32_t __attribute__((may_alias, aligned(1))) shmemx_unit_4;
typedef uint64_t __attribute__((may_alias, aligned(1))) shmemx_unit_8;

/* To the compiler a put or get stays what a call is: no access of the program moves across it. */
SHMEM_DETAIL_INLINE void shmemx_fast_fence(void) {
    __asm__ __volatile__("" ::: "memory");
}

SHMEM_DETAIL_INLINE int shmemx_fast_size(size_t bytes) {
    return __builtin_constant_p(bytes) &&
           (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
}

/* Finds the peer, where these bytes lie in one cache line of one object of the heap. */
SHMEM_DETAIL_INLINE int shmemx_fast_find(const void* object, size_t bytes, int pe,
                                         const struct shmemx_fast_peer** peer) {
    const struct shmemx_fast* fast = shmemx_fast_1;
    uintptr_t offset = (uintptr_t)object - fast->heap_begin;
    if (__builtin_expect(offset >= fast->heap_bytes || (unsigned)pe >= fast->n_pes, 0))
        return 0;
    /* A plain load: that no transfer overlaps with the freeing of its object is for the program to see to. */
    if (__builtin_expect((unsigned char)(2 * (offset % 64 + bytes)) > fast->lines[offset / 64], 0))
        return 0;
    *peer = (const struct shmemx_fast_peer*)(fast + 1) + pe;
    return 1;
}

SHMEM_DETAIL_INLINE void* shmemx_fast_there(const struct shmemx_fast_peer* peer, const void* object) {
    return (void*)((uintptr_t)object + (uintptr_t)peer->delta);
}

/* To the compiler a put or get is what a call is: no access of the program moves across it. (The accesses are
   volatile so that each unit is one of them: others see an aligned one whole or not at all.) */
#define SHMEM_DETAIL_MOVE(unit, to, from, index)                                                             \
    do {                                                                                                     \
        unit value = ((const unit*)(from))[index];                                                           \
        shmemx_fast_fence();                                                                                 \
        ((volatile unit*)(to))[index] = value;                                                               \
    } while (0)

SHMEM_DETAIL_INLINE void shmemx_fast_store(void* there, const void* source, size_t bytes) {
    if (bytes == 1)
        SHMEM_DETAIL_MOVE(shmemx_unit_1, there, source, 0);
    else if (bytes == 2)
        SHMEM_DETAIL_MOVE(shmemx_unit_2, there, source, 0);
    else if (bytes == 4)
        SHMEM_DETAIL_MOVE(shmemx_unit_4, there, source, 0);
    else
        SHMEM_DETAIL_MOVE(shmemx_unit_8, there, source, 0);
    if (bytes == 16)
        SHMEM_DETAIL_MOVE(shmemx_unit_8, there, source, 1);
}

SHMEM_DETAIL_INLINE void shmemx_fast_load(void* dest, const void* there, size_t bytes) {
    if (bytes == 1)
        *(shmemx_unit_1*)dest = *(const volatile shmemx_unit_1*)there;
    else if (bytes == 2)
        *(shmemx_unit_2*)dest = *(const volatile shmemx_unit_2*)there;
    else if (bytes == 4)
        *(shmemx_unit_4*)dest = *(const volatile shmemx_unit_4*)there;
    else
        *(shmemx_unit_8*)dest = *(const volatile shmemx_unit_8*)there;
    if (bytes == 16)
        ((shmemx_unit_8*)dest)[1] = ((const volatile shmemx_unit_8*)there)[1];
}

SHMEM_DETAIL_INLINE int shmemx_fast_put(void* dest, const void* source, size_t bytes, int pe) {
    const struct shmemx_fast_peer* peer;
    if (!shmemx_fast_size(bytes) || !source || !shmemx_fast_find(dest, bytes, pe, &peer))
        return 0;
    shmemx_fast_store(shmemx_fast_there(peer, dest), source, bytes);
    /* The look must not overtake the store. That is left to the sleeper, who makes the kernel put a full
       fence into every running PE between announcing itself and looking at its word for the last time: this
       side only keeps the compiler from moving the look up. (On processors of any memory order.) */
    shmemx_fast_fence();
    /* relaxed: the fence orders it; the announcement carries no data. */
    if (__builtin_expect(__atomic_load_n(peer->announced, __ATOMIC_RELAXED) != 0, 0))
        shmemx_wake(dest, bytes, pe);
    return 1;
}

SHMEM_DETAIL_INLINE int shmemx_fast_get(void* dest, const void* source, size_t bytes, int pe) {
    const struct shmemx_fast_peer* peer;
    if (!shmemx_fast_size(bytes) || !dest || !shmemx_fast_find(source, bytes, pe, &peer))
        return 0;
    shmemx_fast_fence();
    shmemx_fast_load(dest, shmemx_fast_there(peer, source), bytes);
    shmemx_fast_fence();
    return 1;
}

/* Peers whose memory is mapped complete every operation at once: there the _nbi forms are the blocking ones.
 */
SHMEM_DETAIL_INLINE void shmem_putmem(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(!shmemx_fast_put(dest, source, nelems, pe), 0))
        pshmem_putmem(dest, source, nelems, pe);
}
SHMEM_DETAIL_INLINE void shmem_getmem(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(!shmemx_fast_get(dest, source, nelems, pe), 0))
        pshmem_getmem(dest, source, nelems, pe);
}
SHMEM_DETAIL_INLINE void shmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(!shmemx_fast_put(dest, source, nelems, pe), 0))
        pshmem_putmem_nbi(dest, source, nelems, pe);
}
SHMEM_DETAIL_INLINE void shmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(!shmemx_fast_get(dest, source, nelems, pe), 0))
        pshmem_getmem_nbi(dest, source, nelems, pe);
}

#else

SHMEM_DETAIL_INLINE int shmemx_fast_put(void* dest, const void* source, size_t bytes, int pe) {
    return (void)dest, (void)source, (void)bytes, (void)pe, 0;
}
SHMEM_DETAIL_INLINE int shmemx_fast_get(void* dest, const void* source, size_t bytes, int pe) {
    return (void)dest, (void)source, (void)bytes, (void)pe, 0;
}

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SHMEM_DETAIL_INLINE_H */

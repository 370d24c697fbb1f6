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

SHMEM_DETAIL_INLINE int shmemx_fast_size(size_t bytes) {
    return __builtin_constant_p(bytes) &&
           (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
}

/* The PE's own entry; where one lies is known before the library's words are read. */
SHMEM_DETAIL_INLINE const struct shmemx_fast_peer* shmemx_fast_peer_of(const struct shmemx_fast* fast,
                                                                       int pe) {
    size_t place = sizeof(struct shmemx_fast) + (unsigned)pe * sizeof(struct shmemx_fast_peer);
    return (const struct shmemx_fast_peer*)((const char*)fast + place);
}

/* Whether these bytes lie in one cache line of one object of the heap, and the PE exists. */
SHMEM_DETAIL_INLINE int shmemx_fast_allows(const struct shmemx_fast* fast, const void* object, size_t bytes,
                                           int pe) {
    uintptr_t offset = (uintptr_t)object - fast->heap_begin;
    /* The line is a plain load: that no transfer overlaps with the freeing of its object is for the program
       to see to. */
    return __builtin_expect(offset < fast->heap_bytes, 1) &&
           __builtin_expect((unsigned)pe < fast->n_pes, 1) &&
           __builtin_expect((unsigned char)(2 * (offset % 64 + bytes)) <= fast->lines[offset / 64], 1);
}

SHMEM_DETAIL_INLINE void* shmemx_fast_there(const struct shmemx_fast_peer* peer, const void* object) {
    return (void*)((uintptr_t)object + (uintptr_t)peer->delta);
}

/* The peer's side of a transfer is one access for each unit, which others see whole or not at all where it is
   aligned, and stays between the calls and the volatile accesses around it. For a store that is said by an
   empty instruction that may change the unit: a volatile one would take an instruction more for its address.
 */
#define SHMEM_DETAIL_STORE(unit, there, source, index)                                                       \
    do {                                                                                                     \
        ((unit*)(there))[index] = ((const unit*)(source))[index];                                            \
        __asm__ __volatile__("" : "+m"(((unit*)(there))[index]));                                            \
    } while (0)
#define SHMEM_DETAIL_LOAD(unit, dest, there, index)                                                          \
    (((unit*)(dest))[index] = ((const volatile unit*)(there))[index])

SHMEM_DETAIL_INLINE void shmemx_fast_store(void* there, const void* source, size_t bytes) {
    if (bytes == 1)
        SHMEM_DETAIL_STORE(shmemx_unit_1, there, source, 0);
    else if (bytes == 2)
        SHMEM_DETAIL_STORE(shmemx_unit_2, there, source, 0);
    else if (bytes == 4)
        SHMEM_DETAIL_STORE(shmemx_unit_4, there, source, 0);
    else
        SHMEM_DETAIL_STORE(shmemx_unit_8, there, source, 0);
    if (bytes == 16)
        SHMEM_DETAIL_STORE(shmemx_unit_8, there, source, 1);
}

SHMEM_DETAIL_INLINE void shmemx_fast_load(void* dest, const void* there, size_t bytes) {
    if (bytes == 1)
        SHMEM_DETAIL_LOAD(shmemx_unit_1, dest, there, 0);
    else if (bytes == 2)
        SHMEM_DETAIL_LOAD(shmemx_unit_2, dest, there, 0);
    else if (bytes == 4)
        SHMEM_DETAIL_LOAD(shmemx_unit_4, dest, there, 0);
    else
        SHMEM_DETAIL_LOAD(shmemx_unit_8, dest, there, 0);
    if (bytes == 16)
        SHMEM_DETAIL_LOAD(shmemx_unit_8, dest, there, 1);
}

/* Whether somebody sleeps until memory of the peer is written. After the store. The look must not overtake
   it: that is left to the sleeper, who makes the kernel put a full fence into every running PE between
   announcing itself and looking at its word for the last time; this side only keeps the compiler from moving
   the look up. (On processors of any memory order.) The announcement carries no data. */
SHMEM_DETAIL_INLINE int shmemx_fast_asleep(const struct shmemx_fast_peer* peer) {
#if defined(__x86_64__)
    int asleep; /* one instruction, where the compiler makes three of a volatile load */
    __asm__ __volatile__("cmpq $0, %1" : "=@ccne"(asleep) : "m"(*peer->announced));
    return asleep;
#else
    return *(const volatile uint64_t*)peer->announced != 0;
#endif
}

SHMEM_DETAIL_INLINE int shmemx_fast_put(void* dest, const void* source, size_t bytes, int pe) {
    const struct shmemx_fast* fast = shmemx_fast_1;
    if (shmemx_fast_size(bytes) && source && shmemx_fast_allows(fast, dest, bytes, pe)) {
        const struct shmemx_fast_peer* peer = shmemx_fast_peer_of(fast, pe);
        shmemx_fast_store(shmemx_fast_there(peer, dest), source, bytes);
        if (__builtin_expect(shmemx_fast_asleep(peer), 0))
            shmemx_wake(dest, bytes, pe);
        return 1;
    }
    return 0;
}

SHMEM_DETAIL_INLINE int shmemx_fast_get(void* dest, const void* source, size_t bytes, int pe) {
    const struct shmemx_fast* fast = shmemx_fast_1;
    if (shmemx_fast_size(bytes) && dest && shmemx_fast_allows(fast, source, bytes, pe)) {
        shmemx_fast_load(dest, shmemx_fast_there(shmemx_fast_peer_of(fast, pe), source), bytes);
        return 1;
    }
    return 0;
}

/* Peers whose memory is mapped complete every operation at once: there the _nbi forms are the blocking ones.
 */
SHMEM_DETAIL_INLINE void shmem_putmem(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(shmemx_fast_put(dest, source, nelems, pe), 1))
        return;
    pshmem_putmem(dest, source, nelems, pe);
}
SHMEM_DETAIL_INLINE void shmem_getmem(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(shmemx_fast_get(dest, source, nelems, pe), 1))
        return;
    pshmem_getmem(dest, source, nelems, pe);
}
SHMEM_DETAIL_INLINE void shmem_putmem_nbi(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(shmemx_fast_put(dest, source, nelems, pe), 1))
        return;
    pshmem_putmem_nbi(dest, source, nelems, pe);
}
SHMEM_DETAIL_INLINE void shmem_getmem_nbi(void* dest, const void* source, size_t nelems, int pe) {
    if (__builtin_expect(shmemx_fast_get(dest, source, nelems, pe), 1))
        return;
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

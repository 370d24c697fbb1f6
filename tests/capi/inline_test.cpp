// SPDX-License-Identifier: Apache-2.0
// Puts and gets whose size the compiler knows: compiled with optimisation, they make no call. Each case that
// is not the plain one must still be the library's.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "endless_sleeps.hpp"
#include "pattern.hpp"
#include "shmem.hpp"

#ifndef __OPTIMIZE__
#error "to be compiled with optimisation"
#endif

namespace shm::test {
namespace {

template <std::size_t bytes>
void expect_both_ways(unsigned char* object, std::size_t offset) {
    Bytes source = pattern(bytes, seed_of(shmem_my_pe()));
    unsigned char* place = object + offset;
    std::memset(object, 0xee, 192);
    shmem_barrier_all();
    shmem_putmem(place, source.data(), bytes, next_pe());
    shmem_barrier_all();
    EXPECT_EQ(wrong_bytes(place, bytes, seed_of(previous_pe())), 0U) << bytes << " at " << offset;
    EXPECT_TRUE(offset == 0 || place[-1] == 0xee);
    EXPECT_EQ(place[bytes], 0xee) << bytes << " at " << offset;
    Bytes back(bytes + 1, 0xdd);
    shmem_getmem(back.data(), place, bytes, next_pe());
    EXPECT_EQ(wrong_bytes(back.data(), bytes, seed_of(shmem_my_pe())), 0U) << bytes << " at " << offset;
    EXPECT_EQ(back[bytes], 0xdd);
    shmem_barrier_all();
    shmem_putmem_nbi(object, place, bytes, shmem_my_pe());
    shmem_getmem_nbi(back.data(), object, bytes, shmem_my_pe());
    shmem_quiet();
    EXPECT_EQ(wrong_bytes(back.data(), bytes, seed_of(previous_pe())), 0U) << bytes << " at " << offset;
    shmem_barrier_all();
}

TEST(Inline, every_size_arrives_at_every_place_of_a_line_and_across_lines) {
    auto* object = static_cast<unsigned char*>(shmem_malloc(192));
    for (std::size_t offset = 0; offset < 128; ++offset) {
        expect_both_ways<1>(object, offset);
        expect_both_ways<2>(object, offset);
        expect_both_ways<4>(object, offset);
        expect_both_ways<8>(object, offset);
        expect_both_ways<16>(object, offset);
    }
    shmem_free(object);
}

TEST(Inline, a_get_in_a_loop_sees_the_word_change) {
    auto* word = static_cast<std::uint64_t*>(shmem_calloc(1, sizeof(std::uint64_t)));
    std::uint64_t one = 1;
    shmem_putmem(word, &one, sizeof one, next_pe());
    std::uint64_t seen = 0;
    while (seen == 0)
        shmem_getmem(&seen, word, sizeof seen, next_pe());
    EXPECT_EQ(seen, 1U);
    shmem_barrier_all();
    shmem_free(word);
}

TEST(Inline, a_put_wakes_who_sleeps_for_it) {
    auto* word = static_cast<std::uint64_t*>(shmem_calloc(1, sizeof(std::uint64_t)));
    {
        EndlessSleeps
            endless; // until woken, that is: a put that wakes nobody ends the test at its time limit
        for (std::uint64_t round = 1; round <= 20; ++round) {
            if (shmem_my_pe() % 2 == 0) // the next one sleeps by then, as SHMEM_SPIN_TIME is 0
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            shmem_putmem(word, &round, sizeof round, next_pe());
            shmem_uint64_wait_until(word, SHMEM_CMP_GE, round);
        }
    }
    shmem_barrier_all();
    shmem_free(word);
}

struct Pair {
    double first, second;
    bool operator==(const Pair&) const = default;
};

TEST(Inline, values_of_cpp_arrive) {
    auto pairs = shmem::symmetric<Pair>(1);
    auto small = shmem::symmetric<char>(3);
    shmem::put(pairs.ptr(), {1.5, shmem::my_pe() + 0.5}, next_pe());
    shmem::put(&small[2], 'x', next_pe());
    shmem::barrier_all();
    EXPECT_EQ(pairs[0], (Pair{1.5, previous_pe() + 0.5}));
    EXPECT_EQ(shmem::get(pairs.ptr(), next_pe()), (Pair{1.5, shmem::my_pe() + 0.5}));
    EXPECT_EQ(shmem::get(&small[2], next_pe()), 'x');
    shmem::barrier_all();
}

/// What shmem::put of one word says to its caller.
std::string mistake(std::uint64_t* dest, int pe) {
    try {
        shmem::put(dest, 1, pe);
    } catch (const shmem::Error& error) {
        return error.what();
    }
    return "";
}

TEST(Inline, mistakes_are_found_and_explained_as_in_a_call) {
    using testing::HasSubstr;
    auto* object = static_cast<std::uint64_t*>(shmem_calloc(3, sizeof(std::uint64_t)));
    EXPECT_EQ(mistake(object + 2, shmem_my_pe()), "");
    EXPECT_THAT(mistake(object, shmem_n_pes()), HasSubstr("is out of range"));
    EXPECT_THAT(mistake(object, -1), HasSubstr("pe = -1 is out of range"));
    EXPECT_THAT(mistake(object + 3, 0),
                HasSubstr("reach 8 bytes past the end of the symmetric object of 24 bytes"));
    auto* straddling = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(object) + 17);
    EXPECT_THAT(mistake(straddling, 0), HasSubstr("reach 1 byte past the end"));
    std::uint64_t local = 0;
    EXPECT_THAT(mistake(&local, 0), HasSubstr("is not a symmetric address"));
    EXPECT_THAT(mistake(nullptr, 0), HasSubstr("is not a symmetric address"));
    shmem_free(object);
    EXPECT_THAT(mistake(object, 0), HasSubstr("it was freed, or never allocated"));
}

TEST(Inline, a_shared_buffer_is_reached_too) {
    int pe = shmem_my_pe();
    shmemx_shared_t handle = nullptr;
    ASSERT_EQ(shmemx_alloc_shared(64, &pe, 1, &handle), 0);
    auto* word = static_cast<std::uint64_t*>(shmemx_shared_ptr(handle));
    shmem::put(word, 7, pe);
    EXPECT_EQ(*word, 7U);
    shmemx_free_shared(handle);
}

TEST(Inline, a_forked_child_is_refused) {
    auto* word = static_cast<std::uint64_t*>(shmem_calloc(1, sizeof(std::uint64_t)));
    pid_t child = ::fork();
    if (child == 0)
        ::_exit(mistake(word, 0).find("used after fork") != std::string::npos ? 3 : 4);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_EQ(*word, 0U);
    shmem_barrier_all();
    shmem_free(word);
}

} // namespace
} // namespace shm::test

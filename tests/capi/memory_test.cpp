// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "descriptors.hpp"
#include "pattern.hpp"
#include "shmem.h"

namespace shm::test {
namespace {

constexpr std::size_t kMiB = 1 << 20;

unsigned char* bytes_at(void* object) {
    return static_cast<unsigned char*>(object);
}

/// Whether this value is the same on all PEs. Collective.
bool same_everywhere(std::uint64_t value) {
    auto* values = static_cast<std::uint64_t*>(
        shmem_calloc(static_cast<std::size_t>(shmem_n_pes()), sizeof(std::uint64_t)));
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        shmem_putmem(&values[shmem_my_pe()], &value, sizeof value, pe);
    shmem_barrier_all();
    bool same =
        std::all_of(values, values + shmem_n_pes(), [&](std::uint64_t other) { return other == value; });
    shmem_free(values);
    return same;
}

std::uint64_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

TEST(Malloc, gives_one_address_on_all_pes) {
    void* objects[] = {shmem_malloc(1), shmem_malloc(100000), shmem_malloc(5 * kMiB), shmem_malloc(8)};
    for (void* object : objects) {
        ASSERT_NE(object, nullptr);
        EXPECT_EQ(number(object) % 64, 0U);
        EXPECT_TRUE(same_everywhere(number(object)));
    }
    for (void* object : objects)
        shmem_free(object);
}

TEST(Malloc, gives_memory_that_can_be_written_to_its_last_byte) {
    for (std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{65537}, 7 * kMiB + 13}) {
        auto* object = bytes_at(shmem_malloc(bytes));
        ASSERT_NE(object, nullptr);
        fill(object, bytes, seed_of(shmem_my_pe()));
        shmem_barrier_all();
        EXPECT_EQ(wrong_bytes(object, bytes, seed_of(shmem_my_pe())), 0U);
        shmem_free(object);
    }
}

TEST(Malloc, of_nothing_is_null) {
    EXPECT_EQ(shmem_malloc(0), nullptr);
    EXPECT_EQ(shmem_calloc(0, 8), nullptr);
    EXPECT_EQ(shmem_calloc(8, 0), nullptr);
    EXPECT_EQ(shmem_align(64, 0), nullptr);
    shmem_free(nullptr);
}

TEST(Malloc, of_too_much_is_null_on_all_pes_with_one_warning_and_the_job_goes_on) {
    for (std::size_t bytes : {std::size_t{1} << 45, std::size_t{1} << 60, ~std::size_t{0}}) {
        testing::internal::CaptureStderr();
        void* object = shmem_malloc(bytes);
        std::string warning = testing::internal::GetCapturedStderr();
        EXPECT_EQ(object, nullptr);
        if (shmem_my_pe() == 0) {
            EXPECT_THAT(warning,
                        testing::StartsWith(
                            "shmem: PE 0: warning: shmem_malloc returns NULL: no symmetric memory for " +
                            (bytes == ~std::size_t{0} ? std::to_string(bytes) + " bytes (16 EiB)"
                             : bytes >> 60            ? "1 EiB"
                                                      : "32 TiB") +
                            " on each of " + std::to_string(shmem_n_pes()) + " PEs: "));
            EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1);
        } else {
            EXPECT_EQ(warning, "");
        }
        void* next = shmem_malloc(100);
        EXPECT_NE(next, nullptr);
        shmem_free(next);
    }
}

TEST(Malloc, of_more_than_the_machine_has_left_for_all_pes_is_refused_and_harms_nobody) {
    // Each PE alone could have it: only all together cannot.
    std::size_t bytes = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * 4096 / 4 * 3;
    bytes = shmem_n_pes() == 1 ? 2 * bytes : bytes;
    testing::internal::CaptureStderr();
    void* object = shmem_malloc(bytes);
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(object, nullptr);
}

TEST(Calloc, is_zero_on_reused_memory_and_on_every_pe) {
    for (std::size_t bytes : {std::size_t{1000}, 3 * kMiB}) {
        void* before = shmem_malloc(bytes);
        std::memset(before, 0xff, bytes);
        shmem_free(before);
        auto* object = bytes_at(shmem_calloc(bytes / 8, 8));
        EXPECT_EQ(object, before) << "the memory is reused";
        Bytes theirs(bytes / 8 * 8, 1);
        shmem_getmem(theirs.data(), object, theirs.size(), next_pe());
        EXPECT_EQ(theirs, Bytes(theirs.size(), 0));
        shmem_free(object);
    }
}

TEST(Calloc, of_more_than_2_to_the_64_bytes_is_null) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(shmem_calloc(std::size_t{1} << 33, std::size_t{1} << 33), nullptr);
    testing::internal::GetCapturedStderr();
}

TEST(Align, aligns_from_8_bytes_to_1_gib) {
    void* unaligned = shmem_malloc(1);
    for (std::size_t alignment = 8; alignment <= std::size_t{1} << 30; alignment *= 2) {
        void* object = shmem_align(alignment, 100);
        ASSERT_NE(object, nullptr) << alignment;
        EXPECT_EQ(number(object) % alignment, 0U);
        EXPECT_TRUE(same_everywhere(number(object)));
        shmem_free(object);
    }
    shmem_free(unaligned);
}

TEST(Align, beyond_what_addresses_have_is_null) {
    testing::internal::CaptureStderr();
    for (int power = 31; power < 64; ++power) {
        void* object = shmem_align(std::size_t{1} << power, 8);
        EXPECT_EQ(number(object) % (std::size_t{1} << power), 0U) << "2^" << power;
        shmem_free(object);
    }
    testing::internal::GetCapturedStderr();
}

TEST(Realloc, keeps_what_fits_while_it_grows_moves_and_shrinks) {
    unsigned seed = seed_of(shmem_my_pe());
    auto* object = bytes_at(shmem_realloc(nullptr, 1000));
    fill(object, 1000, seed);
    auto* grown = bytes_at(shmem_realloc(object, 100000));
    EXPECT_EQ(grown, object) << "there is room behind it";
    EXPECT_EQ(wrong_bytes(grown, 1000, seed), 0U);
    fill(grown, 100000, seed);
    void* behind = shmem_malloc(8);
    auto* moved = bytes_at(shmem_realloc(grown, 5 * kMiB));
    ASSERT_NE(moved, nullptr);
    EXPECT_NE(moved, grown);
    EXPECT_TRUE(same_everywhere(number(moved)));
    EXPECT_EQ(wrong_bytes(moved, 100000, seed), 0U);
    auto* shrunk = bytes_at(shmem_realloc(moved, 500));
    EXPECT_EQ(wrong_bytes(shrunk, 500, seed), 0U);
    EXPECT_EQ(shmem_realloc(shrunk, 0), nullptr);
    shmem_free(behind);
}

TEST(Realloc, of_too_much_leaves_the_object_as_it_was) {
    auto* object = bytes_at(shmem_malloc(1000));
    fill(object, 1000, 7);
    testing::internal::CaptureStderr();
    EXPECT_EQ(shmem_realloc(object, std::size_t{1} << 60), nullptr);
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(wrong_bytes(object, 1000, 7), 0U);
    shmem_free(object);
}

TEST(Realloc, keeps_the_contents_of_every_pe_through_random_sizes) {
    std::mt19937 random(1);
    unsigned seed = seed_of(shmem_my_pe());
    std::size_t bytes = 1;
    auto* object = bytes_at(shmem_malloc(bytes));
    fill(object, bytes, seed);
    for (int round = 0; round < 50; ++round) {
        void* obstacle = random() % 2 ? shmem_malloc(64) : nullptr;
        std::size_t kept = bytes;
        bytes = 1 + random() % (1U << random() % 23);
        object = bytes_at(shmem_realloc(object, bytes));
        ASSERT_NE(object, nullptr);
        ASSERT_EQ(wrong_bytes(object, std::min(kept, bytes), seed), 0U) << "round " << round;
        fill(object, bytes, seed);
        shmem_free(obstacle);
    }
    shmem_free(object);
}

TEST(Free, makes_room_for_the_next) {
    void* first = shmem_malloc(10 * kMiB);
    shmem_free(first);
    EXPECT_EQ(shmem_malloc(10 * kMiB), first);
    shmem_free(first);
}

TEST(Free, waits_for_pes_that_still_use_the_object) {
    auto* object = bytes_at(shmem_malloc(16 * kMiB));
    std::memset(object, 1, 16 * kMiB);
    shmem_barrier_all();
    Bytes theirs(16 * kMiB);
    if (shmem_my_pe() == 0)
        shmem_getmem(theirs.data(), object, theirs.size(), next_pe()); // while the others free already
    shmem_free(object);
    EXPECT_EQ(theirs, Bytes(16 * kMiB, shmem_my_pe() == 0 ? 1 : 0));
}

TEST(Allocations, however_many_keep_the_number_of_descriptors) {
    long before = open_descriptors();
    void* objects[100] = {};
    for (int count = 0; count < 5000; ++count) {
        void*& object = objects[count % 100];
        shmem_free(object);
        object = shmem_malloc(static_cast<std::size_t>(1 + count * 37 % 10000));
        ASSERT_NE(object, nullptr);
    }
    EXPECT_EQ(open_descriptors(), before);
    for (void* object : objects)
        shmem_free(object);
}

TEST(Ptr, reaches_the_object_of_every_pe) {
    auto* numbers = static_cast<int*>(shmem_calloc(static_cast<std::size_t>(shmem_n_pes()), sizeof(int)));
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        auto* theirs = static_cast<int*>(shmem_ptr(&numbers[shmem_my_pe()], pe));
        ASSERT_NE(theirs, nullptr);
        *theirs = 100 + shmem_my_pe();
    }
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        EXPECT_EQ(numbers[pe], 100 + pe);
    shmem_free(numbers);
}

TEST(Ptr, of_the_own_object_is_itself) {
    void* object = shmem_malloc(8);
    EXPECT_EQ(shmem_ptr(object, shmem_my_pe()), object);
    shmem_free(object);
}

TEST(Ptr, of_what_is_not_symmetric_is_null) {
    int local = 0;
    auto* object = bytes_at(shmem_malloc(64));
    EXPECT_EQ(shmem_ptr(&local, next_pe()), nullptr);
    EXPECT_EQ(shmem_ptr(nullptr, next_pe()), nullptr);
    EXPECT_EQ(shmem_ptr(object + 64, next_pe()), nullptr);
    EXPECT_NE(shmem_ptr(object + 63, next_pe()), nullptr);
    shmem_free(object);
}

} // namespace
} // namespace shm::test

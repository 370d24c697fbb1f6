// SPDX-License-Identifier: Apache-2.0
#include "shmem/detail/buffer.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include <gtest/gtest.h>

#include "pes.hpp"

namespace {

using shmem::Buffer;

static_assert(!std::is_copy_constructible_v<Buffer> && !std::is_copy_assignable_v<Buffer>);
static_assert(std::is_nothrow_move_constructible_v<Buffer>);

constexpr std::size_t kBytes = 5000;

/// Where the next object of this size would be: the same place as long as nothing was freed or made.
void* next_place() {
    return shmem::alloc(kBytes).ptr();
}

TEST(Buffer, frees_its_object_at_its_end) {
    void* place = next_place();
    {
        Buffer buffer = shmem::alloc(kBytes);
        EXPECT_EQ(buffer.ptr(), place);
        EXPECT_EQ(buffer.size(), kBytes);
        EXPECT_NE(next_place(), place);
    }
    EXPECT_EQ(next_place(), place);
}

TEST(Buffer, moves_its_object) {
    void* place = next_place();
    {
        Buffer first = shmem::alloc(kBytes);
        Buffer second = std::move(first);
        EXPECT_EQ(first.ptr(), nullptr); // NOLINT(bugprone-use-after-move)
        EXPECT_EQ(first.size(), 0U);
        EXPECT_EQ(second.ptr(), place);
        EXPECT_EQ(second.size(), kBytes);
    }
    EXPECT_EQ(next_place(), place);
}

TEST(Buffer, frees_what_it_had_when_another_is_moved_in) {
    void* place = next_place();
    Buffer first = shmem::alloc(kBytes);
    Buffer second = shmem::alloc(kBytes);
    void* second_place = second.ptr();
    first = std::move(second);
    EXPECT_EQ(first.ptr(), second_place);
    EXPECT_EQ(next_place(), place);
    Buffer& same = first;
    first = std::move(same);
    EXPECT_EQ(first.ptr(), second_place) << "moved into itself";
}

TEST(Buffer, can_be_freed_before_its_end) {
    void* place = next_place();
    Buffer buffer = shmem::alloc(kBytes);
    buffer.free();
    EXPECT_EQ(buffer.ptr(), nullptr);
    EXPECT_EQ(buffer.size(), 0U);
    buffer.free(); // nothing is left to free
    EXPECT_EQ(next_place(), place);
}

TEST(Buffer, of_nothing_is_empty) {
    Buffer none;
    Buffer nothing = shmem::alloc(0);
    EXPECT_EQ(none.ptr(), nullptr);
    EXPECT_EQ(nothing.ptr(), nullptr);
    EXPECT_TRUE(nothing.as<int>().empty());
}

TEST(Buffer, ended_by_an_exception_frees_nothing) {
    void* place = nullptr;
    try {
        Buffer buffer = shmem::alloc(kBytes);
        place = buffer.ptr();
        throw std::runtime_error("perhaps on this PE only");
    } catch (const std::runtime_error&) {
    }
    EXPECT_NE(next_place(), place);
    shmem_free(place); // all PEs do know of this one
    EXPECT_EQ(next_place(), place);
}

TEST(Buffer, made_and_ended_while_an_exception_is_in_flight_is_freed) {
    struct Cleanup {
        ~Cleanup() { Buffer scratch = shmem::alloc(kBytes); }
    };
    void* place = next_place();
    try {
        Cleanup cleanup;
        throw std::runtime_error("on all PEs");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(next_place(), place);
}

TEST(Buffer, may_outlive_finalize) {
    std::optional<Buffer> buffer = shmem::alloc(kBytes);
    shmem::finalize();
    buffer.reset();
    shmem::init();
}

TEST(Buffer, of_an_earlier_initialisation_frees_nothing_of_this_one) {
    std::optional<Buffer> earlier = shmem::alloc(kBytes);
    shmem::finalize();
    shmem::init();
    Buffer current = shmem::alloc(kBytes);
    ASSERT_EQ(current.ptr(), earlier->ptr()) << "the test needs both at one address";
    earlier.reset();
    EXPECT_NE(next_place(), current.ptr());
}

TEST(Buffer, as_elements_leaves_out_what_does_not_fill_one) {
    Buffer buffer = shmem::alloc(10 * sizeof(double) + 7);
    std::span<double> numbers = buffer.as<double>();
    EXPECT_EQ(numbers.size(), 10U);
    EXPECT_EQ(numbers.data(), buffer.ptr());
    std::fill(numbers.begin(), numbers.end(), 1.5);
    EXPECT_EQ(numbers[9], 1.5);
}

TEST(AllocZeroed, is_zero_on_reused_memory) {
    {
        Buffer dirty = shmem::alloc(kBytes);
        std::ranges::fill(dirty.as<unsigned char>(), static_cast<unsigned char>(0xff));
    }
    Buffer buffer = shmem::alloc_zeroed(kBytes, 1);
    EXPECT_EQ(std::ranges::count(buffer.as<unsigned char>(), 0), static_cast<long>(kBytes));
}

TEST(Symmetric, is_a_range_of_zeroes_at_first) {
    auto numbers = shmem::symmetric<int>(100);
    EXPECT_EQ(numbers.size(), 100U);
    EXPECT_EQ(numbers.end() - numbers.begin(), 100);
    EXPECT_EQ(std::ranges::count(numbers, 0), 100);
    numbers[99] = 7;
    EXPECT_EQ(*(numbers.end() - 1), 7);
    EXPECT_EQ(numbers.ptr(), numbers.data());
}

TEST(Symmetric, of_nothing_is_empty) {
    auto nothing = shmem::symmetric<int>(0);
    EXPECT_EQ(nothing.size(), 0U);
    EXPECT_EQ(nothing.begin(), nothing.end());
}

TEST(Symmetric, on_a_pe_is_that_pes_array) {
    auto numbers = shmem::symmetric<int>(10);
    for (int pe = 0; pe < shmem::n_pes(); ++pe)
        if (shmem::my_pe() < 10)
            numbers.on(pe)[static_cast<std::size_t>(shmem::my_pe())] = 100 + shmem::my_pe();
    shmem::barrier_all();
    for (int pe = 0; pe < shmem::n_pes(); ++pe)
        EXPECT_EQ(numbers[static_cast<std::size_t>(pe)], 100 + pe);
    EXPECT_EQ(numbers.on(shmem::my_pe()).data(), numbers.data());
    EXPECT_EQ(numbers.on(0).size(), 10U);
    EXPECT_THROW(numbers.on(shmem::n_pes()), shmem::Error);
    shmem::barrier_all();
}

TEST(Buffer, that_pes_share_is_one_at_the_same_address) {
    using namespace shmem::literals;
    std::vector<int> pes(static_cast<std::size_t>(shmem::n_pes()));
    std::iota(pes.begin(), pes.end(), 0);
    auto h = shmem::alloc(1_MB, pes);
    ASSERT_NE(h.ptr(), nullptr);
    EXPECT_EQ(h.size(), 1_MB);
    auto words = h.as<int>();
    words[static_cast<std::size_t>(shmem::my_pe())] = shmem::my_pe() + 1;
    shmem::barrier_all();
    for (int pe = 0; pe < shmem::n_pes(); ++pe)
        EXPECT_EQ(words[static_cast<std::size_t>(pe)], pe + 1);
    auto moved = std::move(h);
    EXPECT_EQ(h.ptr(), nullptr);
    moved.free();
    EXPECT_EQ(moved.ptr(), nullptr);
}

TEST(Buffer, of_a_domain_of_one_pe_concerns_that_pe_alone) {
    if (shmem::my_pe() == 0) {
        auto h = shmem::alloc(64, {0});
        h.as<char>()[0] = 1;
    }
    shmem::barrier_all();
}

} // namespace

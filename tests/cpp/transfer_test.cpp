// SPDX-License-Identifier: Apache-2.0
#include "shmem/detail/transfer.hpp"

#include <array>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pes.hpp"

namespace {

using shm::test::next_pe;
using shm::test::previous_pe;
using shm::test::values_of;
using testing::Each;
using testing::ElementsAre;

struct Particle {
    double position[3];
    int kind;
};

TEST(Put, one_value) {
    auto numbers = shmem::symmetric<double>(2);
    shmem::put(&numbers[0], 3.25, next_pe());
    shmem::put(&numbers[1], 7, next_pe()); // converts, as an assignment would
    shmem::barrier_all();
    EXPECT_THAT(values_of(numbers), ElementsAre(3.25, 7.0));
    EXPECT_EQ(shmem::get(&numbers[0], next_pe()), 3.25);
    shmem::barrier_all();
}

TEST(Put, one_struct) {
    auto particles = shmem::symmetric<Particle>(1);
    Particle mine{{1, 2, 3}, shmem::my_pe()};
    shmem::put(particles.ptr(), mine, next_pe());
    shmem::barrier_all();
    EXPECT_EQ(particles[0].kind, previous_pe());
    EXPECT_EQ(shmem::get(particles.ptr(), next_pe()).position[2], 3);
    shmem::barrier_all();
}

TEST(Put, ranges_of_every_kind) {
    auto numbers = shmem::symmetric<int>(10);
    std::vector<int> vector(10);
    std::iota(vector.begin(), vector.end(), 0);
    shmem::put(numbers, vector, next_pe());
    shmem::barrier_all();
    EXPECT_TRUE(std::ranges::equal(numbers, vector));
    shmem::barrier_all();
    std::array<int, 3> array{7, 8, 9};
    shmem::put(std::span(numbers.ptr() + 2, 4), array, next_pe());
    int plain[] = {5, 6};
    shmem::put(std::span(numbers.ptr() + 8, 2), plain, next_pe());
    shmem::barrier_all();
    EXPECT_THAT(values_of(numbers), ElementsAre(0, 1, 7, 8, 9, 5, 6, 7, 5, 6));
    shmem::barrier_all();
}

TEST(Get, ranges_of_every_kind) {
    auto numbers = shmem::symmetric<int>(4);
    std::iota(numbers.begin(), numbers.end(), 10 * shmem::my_pe());
    shmem::barrier_all();
    std::vector<int> copy(6, -1);
    shmem::get(copy, numbers, next_pe());
    int first = 10 * next_pe();
    EXPECT_THAT(copy, ElementsAre(first, first + 1, first + 2, first + 3, -1, -1));
    std::array<int, 2> two{};
    shmem::get(std::span(two), std::span<const int>(numbers.ptr() + 1, 2), next_pe());
    EXPECT_THAT(two, ElementsAre(first + 1, first + 2));
    shmem::barrier_all();
}

TEST(Put, bytes) {
    shmem::Buffer buffer = shmem::alloc(1000);
    std::vector<char> text(1000, static_cast<char>('a' + shmem::my_pe()));
    shmem::put(buffer.ptr(), text.data(), text.size(), next_pe());
    shmem::barrier_all();
    EXPECT_THAT(buffer.as<char>(), Each('a' + previous_pe()));
    std::vector<char> back(1000);
    shmem::get(back.data(), buffer.ptr(), back.size(), next_pe());
    EXPECT_EQ(back, text);
    shmem::barrier_all();
}

TEST(NonBlocking, is_complete_after_quiet) {
    auto numbers = shmem::symmetric<int>(100);
    std::vector<int> source(100, shmem::my_pe() + 1);
    std::vector<int> back(100);
    shmem::put_nbi(numbers.ptr(), source.data(), 100 * sizeof(int), next_pe());
    shmem::quiet();
    shmem::get_nbi(back.data(), numbers.ptr(), 100 * sizeof(int), next_pe());
    shmem::quiet();
    EXPECT_EQ(back, source);
    shmem::barrier_all();
}

TEST(Transfers, with_too_little_room_throw_and_move_nothing) {
    auto numbers = shmem::symmetric<int>(4);
    std::vector<int> five(5, 1);
    EXPECT_THROW(shmem::put(numbers, five, next_pe()), shmem::Error);
    std::vector<int> three(3, 1);
    EXPECT_THROW(shmem::get(three, numbers, next_pe()), shmem::Error);
    EXPECT_THAT(three, Each(1));
    shmem::barrier_all();
    EXPECT_THAT(values_of(numbers), Each(0));
}

TEST(PutSignal, brings_data_with_its_signal) {
    auto numbers = shmem::symmetric<int>(1000);
    auto signal = shmem::symmetric<std::uint64_t>(1);
    for (int round = 1; round <= 20; ++round) {
        std::vector<int> source(1000, round);
        shmem::put_signal(numbers, source, signal.ptr(), 2, SHMEM_SIGNAL_ADD, next_pe());
        auto seen = shmem::signal_wait_until(signal.ptr(), SHMEM_CMP_GE, 2U * static_cast<unsigned>(round));
        EXPECT_EQ(seen, 2U * static_cast<unsigned>(round));
        EXPECT_EQ(shmem::signal_fetch(signal.ptr()), seen);
        EXPECT_THAT(values_of(numbers), Each(round));
        shmem::barrier_all();
    }
}

TEST(CFace, has_the_form_with_the_target_first_in_cpp) {
    auto numbers = shmem::symmetric<long>(1);
    long value = 40 + shmem::my_pe();
    shmem_put(next_pe(), &value, numbers.ptr(), sizeof value);
    shmem::barrier_all();
    EXPECT_EQ(numbers[0], 40 + previous_pe());
    long back = 0;
    shmem_get(static_cast<std::size_t>(next_pe()), &back, numbers.ptr(), sizeof back);
    EXPECT_EQ(back, value);
    shmem::barrier_all();
}

} // namespace

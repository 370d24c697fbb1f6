// SPDX-License-Identifier: Apache-2.0
#include "core/shared_table.hpp"

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shm {
namespace {

constexpr std::uint64_t kCapacity = 1 << 20;

/// A table in memory that processes share.
class SharedTableTest : public testing::Test {
protected:
    SharedTableTest() {
        void* memory =
            ::mmap(nullptr, sizeof(SharedTable), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        table_ = static_cast<SharedTable*>(memory);
        table_->initialise();
    }
    ~SharedTableTest() override { ::munmap(static_cast<void*>(table_), sizeof(SharedTable)); }

    std::optional<std::uint64_t> place(std::uint64_t bytes, std::uint64_t alignment = 1) {
        auto extent = table_->place(bytes, alignment, kCapacity);
        return extent ? std::optional(extent->begin) : std::nullopt;
    }

    SharedTable* table_;
};

TEST_F(SharedTableTest, the_lowest_free_place_is_used) {
    EXPECT_EQ(place(100), 0U);
    EXPECT_EQ(place(100), 100U);
    EXPECT_EQ(place(100), 200U);
    table_->remove(100);
    EXPECT_EQ(place(101), 300U);
    EXPECT_EQ(place(100), 100U);
}

TEST_F(SharedTableTest, places_are_aligned) {
    EXPECT_EQ(place(1), 0U);
    EXPECT_EQ(place(1, 4096), 4096U);
    EXPECT_EQ(place(4095), 1U);
}

TEST_F(SharedTableTest, nothing_reaches_beyond_the_capacity) {
    EXPECT_EQ(place(kCapacity + 1), std::nullopt);
    EXPECT_EQ(place(kCapacity), 0U);
    EXPECT_EQ(place(1), std::nullopt);
    table_->remove(0);
    EXPECT_EQ(place(kCapacity - 1), 0U);
    EXPECT_EQ(place(1, 4096), std::nullopt);
    EXPECT_EQ(place(1), kCapacity - 1);
}

TEST_F(SharedTableTest, has_an_end_and_goes_on_after_it) {
    for (std::size_t entry = 0; entry < SharedTable::kEntries; ++entry)
        ASSERT_EQ(place(1), entry);
    EXPECT_EQ(place(1), std::nullopt);
    table_->remove(5);
    EXPECT_EQ(place(1), 5U);
}

TEST_F(SharedTableTest, threads_never_get_the_same_place) {
    std::vector<std::thread> threads;
    auto used = std::make_unique<std::atomic<int>[]>(kCapacity / 1024);
    std::atomic<int> wrong{0};
    for (unsigned seed = 0; seed < 4; ++seed)
        threads.emplace_back([&, seed] {
            std::mt19937 random(seed);
            std::vector<Extent> own;
            auto mark = [&](Extent extent, int by) {
                for (std::uint64_t i = extent.begin / 1024; i < extent.end / 1024; ++i)
                    wrong += (used[i].fetch_add(by) + by) > 1;
            };
            for (int call = 0; call < 500; ++call) {
                if (random() % 2 == 0) {
                    if (auto extent = table_->place(1024 * (1 + random() % 20), 1024, kCapacity)) {
                        own.push_back(*extent);
                        mark(*extent, 1);
                    }
                } else if (!own.empty()) {
                    mark(own.back(), -1);
                    table_->remove(own.back().begin);
                    own.pop_back();
                }
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(SharedTableTest, a_process_that_is_killed_in_it_does_not_stop_the_others) {
    for (int round = 0; round < 20; ++round) {
        pid_t process = ::fork();
        if (process == 0)
            for (;;)
                if (auto extent = table_->place(64, 64, kCapacity))
                    table_->remove(extent->begin);
        ::usleep(1000 + static_cast<useconds_t>(round) * 100);
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
        auto begin = place(64, 64);
        ASSERT_TRUE(begin);
        table_->remove(*begin);
    }
}

} // namespace
} // namespace shm

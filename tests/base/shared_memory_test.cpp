// SPDX-License-Identifier: Apache-2.0
#include "base/shared_memory.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/anonymous_file.hpp"

namespace shm {
namespace {

constexpr std::uint64_t kKiB = 1 << 10;
constexpr std::uint64_t kMiB = 1 << 20;

/// An anonymous file, mapped as a whole.
class Mapped {
public:
    explicit Mapped(std::uint64_t bytes) : bytes_(bytes) {
        auto created = create_anonymous_file("test", bytes);
        EXPECT_TRUE(created);
        file = std::move(*created);
        auto reserved = reserve_addresses(nullptr, bytes);
        EXPECT_TRUE(reserved);
        start = *reserved;
        EXPECT_TRUE(map_over(start, file, {0, bytes}));
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped() { unmap(start, bytes_); }

    std::uint64_t taken_bytes() const {
        struct stat status {};
        EXPECT_EQ(::fstat(file.descriptor(), &status), 0);
        return static_cast<std::uint64_t>(status.st_blocks) * 512;
    }

    File file;
    std::byte* start = nullptr;

private:
    std::uint64_t bytes_;
};

TEST(TakePages, makes_exactly_the_pages_of_an_extent_exist) {
    Mapped memory(64 * kMiB);
    ASSERT_TRUE(take_pages(memory.file, {5 * 64 * kKiB, 7 * 64 * kKiB}, memory.start + 5 * 64 * kKiB));
    EXPECT_EQ(memory.taken_bytes(), 2 * 64 * kKiB);
}

struct Range {
    std::uint64_t begin, end;
};

class TakePagesOf : public testing::TestWithParam<Range> {};

TEST_P(TakePagesOf, whole_and_partial_huge_pages) {
    for (bool huge : {false, true}) {
        Mapped memory(256 * kMiB);
        Extent extent{GetParam().begin, GetParam().end};
        ASSERT_TRUE(take_pages(memory.file, extent, huge ? memory.start + extent.begin : nullptr));
        EXPECT_EQ(memory.taken_bytes(), extent.bytes()) << "huge pages: " << huge;
        std::byte* first = memory.start + extent.begin;
        EXPECT_EQ(first[0], std::byte{0});
        EXPECT_EQ(std::memcmp(first, first + 1, extent.bytes() - 1), 0) << "all zero";
        std::memset(first, 1, extent.bytes());
        EXPECT_EQ(memory.taken_bytes(), extent.bytes()) << "nothing is taken by touching";
    }
}

INSTANTIATE_TEST_SUITE_P(, TakePagesOf,
                         testing::Values(Range{0, 2 * kMiB}, Range{2 * kMiB, 8 * kMiB},
                                         Range{64 * kKiB, 128 * kKiB},
                                         Range{2 * kMiB - 64 * kKiB, 4 * kMiB + 64 * kKiB},
                                         Range{kMiB, 3 * kMiB}, Range{0, 130 * kMiB},
                                         Range{63 * kMiB, 65 * kMiB}, Range{61 * kMiB, 131 * kMiB}),
                         [](const auto& info) {
                             return std::to_string(info.param.begin >> 10) + "_to_" +
                                    std::to_string(info.param.end >> 10) + "_KiB";
                         });

TEST(TakePages, takes_all_or_nothing) {
    Mapped memory(100 * kMiB);
    // The end of a sealed file stands in for the end of the machine's memory.
    auto refused = take_pages(memory.file, {0, 200 * kMiB}, nullptr);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("cannot take"), std::string::npos) << refused.error().text();
    EXPECT_EQ(memory.taken_bytes(), 0U);
}

TEST(GiveBackPages, returns_memory_to_the_system) {
    Mapped memory(64 * kMiB);
    ASSERT_TRUE(take_pages(memory.file, {0, 16 * kMiB}, memory.start));
    give_back_pages(memory.file, {4 * kMiB, 8 * kMiB});
    EXPECT_EQ(memory.taken_bytes(), 12 * kMiB);
    give_back_pages(memory.file, {0, 64 * kMiB});
    EXPECT_EQ(memory.taken_bytes(), 0U);
}

TEST(GiveBackPages, of_a_part_leaves_the_rest_as_it_was) {
    Mapped memory(64 * kMiB);
    ASSERT_TRUE(take_pages(memory.file, {0, 4 * kMiB}, memory.start));
    std::memset(memory.start, 7, 4 * kMiB);
    give_back_pages(memory.file, {kMiB, kMiB + 64 * kKiB});
    EXPECT_EQ(memory.start[kMiB - 1], std::byte{7});
    EXPECT_EQ(memory.start[kMiB + 64 * kKiB], std::byte{7});
}

TEST(GiveBackPages, makes_them_zero_when_taken_again) {
    Mapped memory(64 * kMiB);
    ASSERT_TRUE(take_pages(memory.file, {0, 4 * kMiB}, memory.start));
    std::memset(memory.start, 7, 4 * kMiB);
    give_back_pages(memory.file, {0, 4 * kMiB});
    ASSERT_TRUE(take_pages(memory.file, {0, 4 * kMiB}, memory.start));
    EXPECT_EQ(memory.start[0], std::byte{0});
    EXPECT_EQ(std::memcmp(memory.start, memory.start + 1, 4 * kMiB - 1), 0);
}

TEST(ReserveAddresses, anywhere_begins_where_a_huge_page_can) {
    for (int attempt = 0; attempt < 8; ++attempt) {
        auto reserved = reserve_addresses(nullptr, 3 * 4096);
        ASSERT_TRUE(reserved);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*reserved) % kHugePage, 0U);
        unmap(*reserved, 3 * 4096);
    }
}

TEST(ReserveAddresses, anywhere_can_be_aligned_to_more) {
    constexpr std::size_t kAlignment = std::size_t{1} << 30;
    auto reserved = reserve_addresses(nullptr, kHugePage, kAlignment);
    ASSERT_TRUE(reserved);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(*reserved) % kAlignment, 0U);
    unmap(*reserved, kHugePage);
    auto before = reserve_addresses(*reserved - kHugePage, kHugePage);
    EXPECT_TRUE(before) << "what was reserved for the alignment is free again";
    unmap(*before, kHugePage);
}

TEST(ReserveAddresses, never_takes_addresses_in_use) {
    auto first = reserve_addresses(nullptr, kHugePage);
    ASSERT_TRUE(first);
    EXPECT_FALSE(reserve_addresses(*first, kHugePage));
    unmap(*first, kHugePage);
    auto again = reserve_addresses(*first, kHugePage);
    ASSERT_TRUE(again) << "once they are free they can be had";
    EXPECT_EQ(*again, *first);
    unmap(*again, kHugePage);
}

TEST(ReserveAddresses, says_why_it_fails) {
    auto refused = reserve_addresses(nullptr, std::size_t{1} << 60);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reasons().size(), 2U) << refused.error().text();
}

TEST(MapOver, shows_the_same_bytes_at_two_addresses) {
    Mapped memory(4 * kMiB);
    auto second = reserve_addresses(nullptr, kMiB);
    ASSERT_TRUE(second);
    ASSERT_TRUE(map_over(*second, memory.file, {2 * kMiB, 3 * kMiB}));
    ASSERT_TRUE(take_pages(memory.file, {2 * kMiB, 3 * kMiB}, nullptr));
    memory.start[2 * kMiB + 5] = std::byte{42};
    EXPECT_EQ((*second)[5], std::byte{42});
    unmap(*second, kMiB);
}

} // namespace
} // namespace shm

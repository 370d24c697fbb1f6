// SPDX-License-Identifier: Apache-2.0
#include "core/object_lines.hpp"

#include <random>

#include <gtest/gtest.h>

#include "core/heap_map.hpp"

namespace shm {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class ObjectLinesTest : public testing::Test {
protected:
    ObjectLines lines_ = std::move(*ObjectLines::create(64 * kMiB));
};

TEST_F(ObjectLinesTest, an_empty_heap_holds_nothing) {
    for (std::uint64_t offset : {std::uint64_t{0}, kMiB, 64 * kMiB - 1, 64 * kMiB, ~std::uint64_t{0}})
        EXPECT_FALSE(lines_.hold(offset, 1)) << offset;
}

TEST_F(ObjectLinesTest, an_object_is_held_to_its_last_byte) {
    for (std::uint64_t bytes : {1, 8, 63, 64, 65, 127, 128, 1000, 65536}) {
        ASSERT_TRUE(lines_.add({kMiB, kMiB + bytes}));
        EXPECT_TRUE(lines_.hold(kMiB, bytes)) << bytes;
        EXPECT_TRUE(lines_.hold(kMiB + bytes - 1, 1)) << bytes;
        EXPECT_FALSE(lines_.hold(kMiB + bytes, 1)) << bytes;
        EXPECT_FALSE(lines_.hold(kMiB + bytes - 1, 2)) << bytes;
        EXPECT_FALSE(lines_.hold(kMiB - 1, 1)) << bytes;
        EXPECT_FALSE(lines_.hold(kMiB - 1, 2)) << bytes;
        lines_.remove({kMiB, kMiB + bytes});
        EXPECT_FALSE(lines_.hold(kMiB, 1)) << bytes;
        EXPECT_FALSE(lines_.hold(kMiB + bytes - 1, 1)) << bytes;
    }
}

TEST_F(ObjectLinesTest, a_range_does_not_reach_from_one_object_into_the_next) {
    ASSERT_TRUE(lines_.add({0, 128}));
    ASSERT_TRUE(lines_.add({128, 200}));
    EXPECT_TRUE(lines_.hold(0, 128));
    EXPECT_TRUE(lines_.hold(128, 72));
    EXPECT_FALSE(lines_.hold(64, 65));
    EXPECT_FALSE(lines_.hold(120, 16));
    EXPECT_FALSE(lines_.hold(0, 200));
}

TEST_F(ObjectLinesTest, the_last_object_of_the_heap_ends_there) {
    ASSERT_TRUE(lines_.add({64 * kMiB - 128, 64 * kMiB}));
    EXPECT_TRUE(lines_.hold(64 * kMiB - 128, 128));
    EXPECT_FALSE(lines_.hold(64 * kMiB - 128, 129));
    EXPECT_FALSE(lines_.hold(64 * kMiB - 64, ObjectLines::kLongest));
}

TEST_F(ObjectLinesTest, large_objects_come_and_go) {
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(lines_.add({192, 50 * kMiB + 5}));
        EXPECT_TRUE(lines_.hold(50 * kMiB - 65531, 65536));
        EXPECT_FALSE(lines_.hold(50 * kMiB - 65530, 65536));
        lines_.remove({192, 50 * kMiB + 5});
        for (std::uint64_t offset : {std::uint64_t{192}, 20 * kMiB, 50 * kMiB})
            EXPECT_FALSE(lines_.hold(offset, 1));
    }
}

TEST_F(ObjectLinesTest, agrees_with_the_map_of_the_heap_after_random_calls) {
    std::mt19937 random(1);
    HeapMap map(kMiB);
    std::vector<Extent> objects;
    for (int call = 0; call < 2000; ++call) {
        if (objects.empty() || random() % 2 == 0) {
            std::uint64_t bytes = 1 + random() % (1U << random() % 14);
            if (auto offset = map.allocate(bytes, 1)) {
                objects.push_back({*offset, *offset + bytes});
                ASSERT_TRUE(lines_.add(objects.back()));
            }
        } else {
            std::swap(objects[random() % objects.size()], objects.back());
            lines_.remove(objects.back());
            map.free(objects.back().begin);
            objects.pop_back();
        }
        std::uint64_t offset = random() % kMiB;
        std::uint64_t bytes = 1 + random() % (1U << random() % 12);
        auto around = map.object_around(offset);
        EXPECT_EQ(lines_.hold(offset, bytes), around && offset + bytes <= around->end)
            << offset << " + " << bytes;
    }
}

TEST(ObjectLines, of_a_heap_without_room_holds_nothing) {
    auto lines = ObjectLines::create(0);
    ASSERT_TRUE(lines);
    EXPECT_FALSE(lines->hold(0, 0));
}

} // namespace
} // namespace shm

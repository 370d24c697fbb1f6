// SPDX-License-Identifier: Apache-2.0
#include "core/heap_map.hpp"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace shm {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

std::uint64_t pick(std::mt19937& random, const std::map<std::uint64_t, std::uint64_t>& objects) {
    return std::next(objects.begin(), static_cast<long>(random() % objects.size()))->first;
}

/// A heap map beside a list of the objects that it should hold, offset to size.
class Checked {
public:
    explicit Checked(std::uint64_t capacity) : map_(capacity), capacity_(capacity) {}

    void allocate(std::uint64_t bytes, std::uint64_t alignment) {
        auto offset = map_.allocate(bytes, alignment);
        if (!offset) {
            EXPECT_FALSE(fits(bytes, alignment)) << bytes << " bytes aligned to " << alignment;
            return;
        }
        EXPECT_EQ(*offset % std::max(alignment, kLine), 0U);
        objects_[*offset] = bytes;
        check();
    }

    void free(std::uint64_t offset) {
        EXPECT_TRUE(map_.free(offset));
        EXPECT_FALSE(map_.free(offset)) << "twice";
        objects_.erase(offset);
        check();
    }

    void resize(std::uint64_t offset, std::uint64_t bytes) {
        auto next = objects_.upper_bound(offset);
        std::uint64_t room = (next == objects_.end() ? capacity_ : next->first) - offset;
        EXPECT_EQ(map_.resize(offset, bytes), bytes <= room) << bytes << " of " << room;
        if (bytes <= room)
            objects_[offset] = bytes;
        check();
    }

    const std::map<std::uint64_t, std::uint64_t>& objects() const { return objects_; }
    HeapMap& map() { return map_; }

private:
    /// Whether some place between two objects has room.
    bool fits(std::uint64_t bytes, std::uint64_t alignment) const {
        std::uint64_t begin = 0;
        auto fits_before = [&](std::uint64_t end) {
            std::uint64_t first = round_up(begin, std::max(alignment, kLine));
            return first <= end && bytes <= end - first;
        };
        for (auto [offset, size] : objects_) {
            if (fits_before(offset))
                return true;
            begin = round_up(offset + size, kLine);
        }
        return fits_before(capacity_);
    }

    /// No two objects share a line, none leaves the heap, and the map knows them all.
    void check() const {
        std::uint64_t end = 0;
        for (auto [offset, bytes] : objects_) {
            ASSERT_LE(end, offset);
            end = round_up(offset + bytes, kLine);
            ASSERT_EQ(map_.size_of(offset), bytes);
            ASSERT_FALSE(map_.size_of(offset + 1));
        }
        ASSERT_LE(end, capacity_);
        ASSERT_EQ(map_.end(), end);
    }

    HeapMap map_;
    std::uint64_t capacity_;
    std::map<std::uint64_t, std::uint64_t> objects_;
};

class HeapMapAtRandom : public testing::TestWithParam<unsigned> {};

TEST_P(HeapMapAtRandom, objects_never_overlap_and_room_is_never_missed) {
    std::mt19937 random(GetParam());
    Checked heap(100 * kLine * 64);
    for (int step = 0; step < 3000 && !HasFatalFailure(); ++step) {
        unsigned action = random() % 8;
        if (action < 4 || heap.objects().empty())
            heap.allocate(1 + random() % (1U << random() % 17), std::uint64_t{1} << random() % 15);
        else if (action < 7)
            heap.free(pick(random, heap.objects()));
        else
            heap.resize(pick(random, heap.objects()), 1 + random() % 100000);
    }
    while (!heap.objects().empty())
        heap.free(heap.objects().begin()->first);
    EXPECT_EQ(heap.map().largest_gap(), heap.map().capacity()) << "all gaps have joined";
}

TEST_P(HeapMapAtRandom, the_same_calls_give_the_same_offsets) {
    std::mt19937 random(GetParam());
    HeapMap first(kGiB), second(kGiB);
    std::vector<std::uint64_t> offsets;
    for (int step = 0; step < 3000; ++step) {
        if (random() % 3 != 0 || offsets.empty()) {
            std::uint64_t bytes = 1 + random() % 1000000;
            std::uint64_t alignment = std::uint64_t{1} << random() % 22;
            auto offset = first.allocate(bytes, alignment);
            ASSERT_EQ(offset, second.allocate(bytes, alignment)) << "step " << step;
            if (offset)
                offsets.push_back(*offset);
        } else {
            std::swap(offsets[random() % offsets.size()], offsets.back());
            ASSERT_EQ(first.free(offsets.back()), second.free(offsets.back()));
            offsets.pop_back();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seed, HeapMapAtRandom, testing::Range(1U, 9U));

TEST(HeapMap, freed_space_is_reused) {
    HeapMap heap(kGiB);
    auto first = heap.allocate(1000, 1);
    ASSERT_TRUE(heap.allocate(1000, 1));
    ASSERT_TRUE(heap.free(*first));
    EXPECT_EQ(heap.allocate(900, 1), first);
}

TEST(HeapMap, takes_the_smallest_gap_that_fits) {
    HeapMap heap(kGiB);
    auto large = heap.allocate(4096, 1);
    heap.allocate(64, 1);
    auto small = heap.allocate(512, 1);
    heap.allocate(64, 1);
    heap.free(*large);
    heap.free(*small);
    EXPECT_EQ(heap.allocate(500, 1), small);
    EXPECT_EQ(heap.allocate(600, 1), large);
}

TEST(HeapMap, the_whole_capacity_can_be_one_object) {
    HeapMap heap(kGiB);
    EXPECT_FALSE(heap.allocate(kGiB + 1, 1));
    EXPECT_EQ(heap.allocate(kGiB, 1), 0U);
    EXPECT_FALSE(heap.allocate(1, 1));
    EXPECT_TRUE(heap.free(0));
    EXPECT_EQ(heap.allocate(kGiB, 1), 0U);
}

TEST(HeapMap, without_capacity_has_room_for_nothing) {
    HeapMap heap(kLine - 1);
    EXPECT_EQ(heap.capacity(), 0U);
    EXPECT_EQ(heap.largest_gap(), 0U);
    EXPECT_FALSE(heap.allocate(1, 1));
}

TEST(HeapMap, sizes_offsets_and_alignments_go_beyond_2_to_the_32) {
    HeapMap heap(100 * kGiB);
    ASSERT_EQ(heap.allocate(5 * kGiB, 1), 0U);
    auto second = heap.allocate(9 * kGiB, 1);
    EXPECT_EQ(second, 5 * kGiB);
    EXPECT_EQ(heap.size_of(*second), 9 * kGiB);
    EXPECT_EQ(heap.allocate(1, 8 * kGiB), 16 * kGiB);
    EXPECT_TRUE(heap.resize(*second, 10 * kGiB));
    EXPECT_EQ(heap.size_of(*second), 10 * kGiB);
}

TEST(HeapMap, requests_near_2_to_the_64_are_refused) {
    HeapMap heap(kGiB);
    heap.allocate(1, 1);
    EXPECT_FALSE(heap.allocate(~std::uint64_t{0}, 1));
    EXPECT_FALSE(heap.allocate(~std::uint64_t{0} - 62, 64));
    EXPECT_FALSE(heap.allocate(1, std::uint64_t{1} << 63));
    EXPECT_FALSE(heap.resize(0, ~std::uint64_t{0}));
    EXPECT_EQ(heap.size_of(0), 1U);
}

TEST(HeapMap, a_gap_is_found_from_any_offset_in_it) {
    HeapMap heap(10 * kLine);
    heap.allocate(kLine, 1);
    heap.allocate(3 * kLine, 1);
    heap.allocate(6 * kLine, 1);
    heap.free(kLine);
    for (std::uint64_t offset : {kLine, 2 * kLine + 5, 4 * kLine - 1}) {
        EXPECT_EQ(heap.gap_around(offset).begin, kLine);
        EXPECT_EQ(heap.gap_around(offset).end, 4 * kLine);
    }
    EXPECT_EQ(heap.gap_around(0).bytes(), 0U);
    EXPECT_EQ(heap.gap_around(4 * kLine).bytes(), 0U);
}

} // namespace
} // namespace shm

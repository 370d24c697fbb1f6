// SPDX-License-Identifier: Apache-2.0
#include "core/extent_set.hpp"

#include <random>

#include <gtest/gtest.h>

namespace shm {

static bool operator==(Extent left, Extent right) {
    return left.begin == right.begin && left.end == right.end;
}

namespace {

using Extents = std::vector<Extent>;

/// The same set as one flag for each byte.
class NaiveSet {
public:
    explicit NaiveSet(std::uint64_t bytes) : present_(bytes) {}

    void set(Extent extent, bool present) {
        for (std::uint64_t byte = extent.begin; byte < extent.end; ++byte)
            present_[byte] = present;
    }

    /// The longest extents within `extent` whose bytes are all present, or all missing.
    Extents parts(Extent extent, bool present) const {
        Extents found;
        for (std::uint64_t byte = extent.begin; byte < extent.end; ++byte) {
            if (present_[byte] != present)
                continue;
            if (!found.empty() && found.back().end == byte)
                ++found.back().end;
            else
                found.push_back({byte, byte + 1});
        }
        return found;
    }

private:
    std::vector<bool> present_;
};

class ExtentSetAtRandom : public testing::TestWithParam<unsigned> {};

TEST_P(ExtentSetAtRandom, equals_a_set_of_bytes) {
    constexpr std::uint64_t kBytes = 200;
    std::mt19937 random(GetParam());
    auto random_extent = [&] {
        std::uint64_t begin = random() % kBytes;
        return Extent{begin, begin + 1 + random() % std::min<std::uint64_t>(kBytes - begin, 40)};
    };
    ExtentSet set;
    NaiveSet naive(kBytes);
    for (int step = 0; step < 2000; ++step) {
        Extent extent = random_extent();
        bool add = random() % 2;
        add ? set.add(extent) : set.remove(extent);
        naive.set(extent, add);
        Extent asked = random_extent();
        ASSERT_EQ(set.within(asked), naive.parts(asked, true)) << "step " << step;
        ASSERT_EQ(set.missing(asked), naive.parts(asked, false)) << "step " << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Seed, ExtentSetAtRandom, testing::Range(1U, 9U));

TEST(ExtentSet, joins_neighbours) {
    ExtentSet set;
    set.add({0, 10});
    set.add({20, 30});
    set.add({10, 20});
    EXPECT_EQ(set.within({0, 100}), (Extents{{0, 30}}));
}

TEST(ExtentSet, adding_twice_changes_nothing) {
    ExtentSet set;
    set.add({5, 10});
    set.add({5, 10});
    EXPECT_EQ(set.within({0, 100}), (Extents{{5, 10}}));
    set.remove({5, 10});
    EXPECT_TRUE(set.within({0, 100}).empty());
}

TEST(ExtentSet, holds_extents_beyond_4_gib) {
    constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
    ExtentSet set;
    set.add({kFar, 2 * kFar});
    set.remove({kFar + 1, kFar + 2});
    EXPECT_EQ(set.within({0, 3 * kFar}), (Extents{{kFar, kFar + 1}, {kFar + 2, 2 * kFar}}));
    EXPECT_EQ(total_bytes(set.within({0, 3 * kFar})), kFar - 1);
}

} // namespace
} // namespace shm

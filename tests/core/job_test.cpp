// SPDX-License-Identifier: Apache-2.0
#include "core/job.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace shm {
namespace {

TEST(NodeLayout, heaps_and_shared_buffers_follow_the_control_pages_without_overlap) {
    NodeLayout layout{4096, 1 << 20};
    EXPECT_EQ(layout.heap_offset(0), 4096U);
    EXPECT_EQ(layout.heap_offset(3), 4096U + 3 * (1 << 20));
    EXPECT_EQ(layout.shared_offset(4), layout.heap_offset(3) + (1 << 20));
    EXPECT_EQ(layout.file_bytes(4), layout.shared_offset(4) + (1 << 20));
}

TEST(NodeLayout, reaches_beyond_4_gib) {
    NodeLayout layout{4096, std::uint64_t{64} << 30};
    EXPECT_EQ(layout.heap_offset(1000) - layout.heap_offset(999), std::uint64_t{64} << 30);
}

TEST(ControlPages, slots_follow_the_header_without_overlap) {
    constexpr int kPes = 5;
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::vector<Line> room(ControlPages::bytes(kPes) / sizeof(Line) +
                           1); // the slot behind the last is never touched
    ControlPages pages(room.data());
    auto at = [&](void* object) {
        return static_cast<std::byte*>(object) - reinterpret_cast<std::byte*>(room.data());
    };
    EXPECT_EQ(at(&pages.header()), 0);
    EXPECT_EQ(at(&pages.slot(0)), static_cast<long>(sizeof(JobHeader)));
    EXPECT_EQ(at(&pages.slot(kPes)), static_cast<long>(ControlPages::bytes(kPes)));
}

} // namespace
} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "backend/host/memory.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/node_file.hpp"
#include "core/window.hpp"

namespace shm::host {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// A node whose PEs all map their memory in this one process, each at addresses of its own.
class HostMemoryTest : public testing::Test {
protected:
    static constexpr int kPes = 2;

    struct Pe {
        MappedHeaps heaps;
        HeapMemory* operator->() const { return heaps.memory.get(); }
        std::byte* own_heap() const { return heaps.own; }
        std::byte* heap_of(int pe) const { return heaps.of_pe[static_cast<std::size_t>(pe)]; }
    };

    HostMemoryTest()
        : node_file_(std::move(*create_node_file(kPes, 1))), pages_(*map_control_pages(node_file_)) {}
    ~HostMemoryTest() override { unmap_control_pages(pages_); }

    std::uint64_t window_size() { return window_bytes(pages_.header().layout.heap_stride, kPes); }

    Pe map(int pe, bool huge_pages = true, bool common = true) {
        Window window{*reserve_addresses(nullptr, window_size(), kWindowAlignment), common};
        Settings settings;
        settings.huge_pages = huge_pages;
        auto heaps = map_heaps(File(::fcntl(node_file_.descriptor(), F_DUPFD_CLOEXEC, 3)), pages_.header(),
                               pe, window, settings);
        EXPECT_TRUE(heaps) << heaps.error().text();
        return {std::move(*heaps)};
    }

    std::uint64_t taken_bytes() const {
        struct stat status {};
        EXPECT_EQ(::fstat(node_file_.descriptor(), &status), 0);
        return static_cast<std::uint64_t>(status.st_blocks) * 512;
    }

    File node_file_;
    ControlPages pages_;
};

TEST_F(HostMemoryTest, every_pe_sees_the_same_bytes_wherever_it_maps_them) {
    auto first = map(0);
    auto second = map(1);
    ASSERT_TRUE(first->take({0, kMiB}));
    ASSERT_TRUE(second->take({0, kMiB}));
    first.own_heap()[5] = std::byte{1};
    second.own_heap()[5] = std::byte{2};
    for (Pe* here : {&first, &second}) {
        EXPECT_EQ(here->heap_of(0)[5], std::byte{1});
        EXPECT_EQ(here->heap_of(1)[5], std::byte{2});
    }
    second.heap_of(0)[6] = std::byte{3};
    EXPECT_EQ(first.own_heap()[6], std::byte{3});
}

TEST_F(HostMemoryTest, the_whole_heap_can_be_reached_to_its_last_byte) {
    auto memory = map(1);
    std::uint64_t end = memory->capacity();
    ASSERT_TRUE(memory->take({end - memory->granule(), end}));
    memory.own_heap()[end - 1] = std::byte{7};
    EXPECT_EQ(memory.heap_of(1)[end - 1], std::byte{7});
}

TEST_F(HostMemoryTest, taking_and_giving_back_is_in_whole_granules_of_the_own_heap) {
    auto memory = map(1);
    std::uint64_t before = taken_bytes();
    ASSERT_TRUE(memory->take({memory->granule(), 3 * memory->granule()}));
    EXPECT_EQ(taken_bytes() - before, 2 * memory->granule());
    std::uint64_t heap = pages_.header().layout.heap_offset(1);
    memory.own_heap()[memory->granule()] = std::byte{1}; // pages without contents count as holes
    EXPECT_EQ(::lseek(node_file_.descriptor(), static_cast<off_t>(heap - 1), SEEK_DATA),
              static_cast<off_t>(heap + memory->granule()));
    memory->give_back({0, memory->capacity()});
    EXPECT_EQ(taken_bytes(), before);
}

TEST_F(HostMemoryTest, large_extents_become_huge_pages_unless_told_otherwise) {
    auto huge_pages_of = [](std::byte* start) {
        auto text = read_text("/proc/self/smaps").value_or("");
        std::size_t mapping = text.find(fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(start)));
        std::size_t line = text.find("ShmemPmdMapped:", mapping);
        return std::strtoull(text.c_str() + line + std::strlen("ShmemPmdMapped:"), nullptr, 10);
    };
    auto with = map(0, true);
    auto without = map(1, false);
    ASSERT_TRUE(with->take({0, 8 * kMiB}));
    ASSERT_TRUE(without->take({0, 8 * kMiB}));
    std::memset(with.own_heap(), 1, 8 * kMiB);
    std::memset(without.own_heap(), 1, 8 * kMiB);
    EXPECT_EQ(huge_pages_of(without.own_heap()), 0U);
    if (huge_pages_of(with.own_heap()) == 0)
        GTEST_SKIP() << "this kernel makes no huge pages on demand";
    EXPECT_EQ(huge_pages_of(with.own_heap()), 8 * kMiB >> 10);
}

TEST_F(HostMemoryTest, its_addresses_are_free_again_afterwards) {
    std::byte* start = map(0).own_heap();
    auto again = reserve_addresses(start, window_size());
    ASSERT_TRUE(again);
    unmap(*again, window_size());
}

TEST_F(HostMemoryTest, the_region_of_shared_buffers_is_one_memory_for_all_pes) {
    auto first = map(0);
    auto second = map(1);
    SharedRegion& one = *first.heaps.region;
    SharedRegion& other = *second.heaps.region;
    Extent extent{kMiB, 2 * kMiB};
    ASSERT_TRUE(one.open(extent));
    ASSERT_TRUE(one.take(extent));
    ASSERT_TRUE(other.open(extent));
    one.begin()[kMiB] = std::byte{1};
    EXPECT_EQ(other.begin()[kMiB], std::byte{1});
    one.give_back(extent);
    EXPECT_EQ(other.begin()[kMiB], std::byte{0});
}

TEST_F(HostMemoryTest, what_is_not_open_of_the_region_cannot_be_touched) {
    auto pe = map(0);
    SharedRegion& region = *pe.heaps.region;
    Extent extent{0, kMiB};
    EXPECT_DEATH(region.begin()[0] = std::byte{1}, "");
    ASSERT_TRUE(region.open(extent));
    ASSERT_TRUE(region.take(extent));
    region.begin()[0] = std::byte{1};
    region.close(extent);
    EXPECT_DEATH(region.begin()[0] = std::byte{1}, "");
}

TEST_F(HostMemoryTest, there_is_no_region_where_the_addresses_are_not_common) {
    EXPECT_EQ(map(0, true, false).heaps.region, nullptr);
}

} // namespace
} // namespace shm::host

// SPDX-License-Identifier: Apache-2.0
#include "core/node_file.hpp"

#include <array>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/anonymous_file.hpp"
#include "base/limits.hpp"
#include "base/shared_memory.hpp"
#include "core/window.hpp"
#include "lower_limit.hpp"

namespace shm {
namespace {

using test::LowerLimit;

constexpr std::uint64_t kId = 0x0123456789abcdef;

std::string why_not_mapped(const File& file) {
    auto pages = map_control_pages(file);
    return pages ? "mapped" : pages.error().text();
}

File rewritten(std::size_t position, std::uint32_t value) {
    File file = std::move(*create_node_file(1, kId));
    EXPECT_EQ(::pwrite(file.descriptor(), &value, sizeof value, static_cast<off_t>(position)), 4);
    return file;
}

TEST(NodeFile, has_a_header_and_is_otherwise_zero) {
    constexpr int kPes = 3;
    auto file = create_node_file(kPes, kId);
    ASSERT_TRUE(file) << file.error().text();
    auto pages = map_control_pages(*file);
    ASSERT_TRUE(pages) << pages.error().text();
    const JobHeader& header = pages->header();
    EXPECT_EQ(header.magic, kJobMagic);
    EXPECT_EQ(header.n_pes, kPes);
    EXPECT_EQ(header.job_id, kId);
    EXPECT_EQ(header.window_base, 0U);
    EXPECT_EQ(header.central_barrier.arrived, 0);
    for (int pe = 0; pe < kPes; ++pe) {
        EXPECT_EQ(pages->slot(pe).phase, Phase::absent);
        EXPECT_EQ(pages->slot(pe).barrier_flags.rounds_entered, 0U);
    }
    unmap_control_pages(*pages);
}

TEST(NodeFile, is_as_long_as_its_layout_and_costs_only_the_control_pages) {
    auto file = create_node_file(4, kId);
    ASSERT_TRUE(file);
    struct stat status {};
    ASSERT_EQ(::fstat(file->descriptor(), &status), 0);
    auto layout = plan_node_layout(4);
    ASSERT_TRUE(layout);
    EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), layout->file_bytes(4));
    EXPECT_LE(static_cast<std::uint64_t>(status.st_blocks) * 512, ControlPages::bytes(4) + 4096);
}

TEST(NodeFile, is_the_same_memory_in_every_mapping) {
    auto file = create_node_file(1, kId);
    ASSERT_TRUE(file);
    auto first = map_control_pages(*file);
    auto second = map_control_pages(*file);
    ASSERT_TRUE(first && second);
    first->slot(0).process = 42;
    EXPECT_EQ(second->slot(0).process, 42);
    unmap_control_pages(*first);
    unmap_control_pages(*second);
}

TEST(NodeFile, of_another_version_is_refused_with_both_versions) {
    File file = rewritten(offsetof(JobHeader, version), kJobVersion + 7);
    EXPECT_EQ(why_not_mapped(file),
              format_text("the job was started by a launcher of another version ({}, this library has {})",
                          kJobVersion + 7, kJobVersion));
}

TEST(NodeFile, without_its_magic_is_not_one) {
    File file = rewritten(offsetof(JobHeader, magic), 0);
    EXPECT_EQ(why_not_mapped(file),
              fmt::format("descriptor {} is not the node file of a job", file.descriptor()));
}

TEST(NodeFile, is_neither_empty_nor_a_device_nor_closed) {
    auto empty = create_anonymous_file("empty", 0);
    ASSERT_TRUE(empty);
    for (const File& file : {std::move(*empty), File(::open("/dev/null", O_RDWR)), File()})
        EXPECT_NE(why_not_mapped(file).find("is not the node file"), std::string::npos);
}

struct Damage {
    const char* name;
    std::size_t position;
    std::uint32_t value;
};

class DamagedHeader : public testing::TestWithParam<Damage> {};

TEST_P(DamagedHeader, is_refused_and_nothing_mapped) {
    const Damage& damage = GetParam();
    File file = rewritten(damage.position, damage.value);
    EXPECT_NE(why_not_mapped(file).find("the header of the node file is damaged"), std::string::npos)
        << why_not_mapped(file);
}

constexpr std::size_t kControl = offsetof(JobHeader, layout) + offsetof(NodeLayout, control_bytes);
constexpr std::size_t kStride = offsetof(JobHeader, layout) + offsetof(NodeLayout, heap_stride);
constexpr std::size_t kUpperHalf = sizeof(std::uint32_t);

INSTANTIATE_TEST_SUITE_P(
    , DamagedHeader,
    testing::Values(Damage{"no_pes", offsetof(JobHeader, n_pes), 0},
                    Damage{"negative_pes", offsetof(JobHeader, n_pes), 0xffffffff},
                    Damage{"more_pes_than_heaps", offsetof(JobHeader, n_pes), 2},
                    Damage{"most_pes", offsetof(JobHeader, n_pes), 0x7fffffff},
                    Damage{"no_control_pages", kControl, 0}, Damage{"odd_control_pages", kControl, 4096},
                    Damage{"control_pages_beyond_the_file", kControl + kUpperHalf, 0x7fffffff},
                    Damage{"overflowing_control_pages", kControl + kUpperHalf, 0xffffffff},
                    Damage{"no_stride", kStride, 0xffe00000}, Damage{"odd_stride", kStride, 12345},
                    Damage{"stride_beyond_the_file", kStride + kUpperHalf, 0x7fffffff},
                    Damage{"overflowing_stride", kStride + kUpperHalf, 0xffffffff}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(NodeFile, cut_off_behind_its_header_is_refused) {
    File whole = std::move(*create_node_file(1, kId));
    std::array<char, 4096> start{};
    ASSERT_EQ(::pread(whole.descriptor(), start.data(), start.size(), 0), 4096);
    File part = std::move(*create_anonymous_file("part", start.size()));
    ASSERT_EQ(::pwrite(part.descriptor(), start.data(), start.size(), 0), 4096);
    EXPECT_NE(why_not_mapped(part).find("is damaged"), std::string::npos) << why_not_mapped(part);
}

TEST(JobId, is_random_and_never_zero) {
    EXPECT_NE(random_job_id(), 0U);
    EXPECT_NE(random_job_id(), random_job_id());
}

class NodeLayoutOf : public testing::TestWithParam<int> {};

TEST_P(NodeLayoutOf, holds_whole_huge_pages_within_the_window) {
    int pes = GetParam();
    auto layout = plan_node_layout(pes);
    ASSERT_TRUE(layout) << layout.error().text();
    EXPECT_EQ(layout->control_bytes % kHugePage, 0U);
    EXPECT_GE(layout->control_bytes, ControlPages::bytes(pes));
    EXPECT_EQ(layout->heap_stride % kHugePage, 0U);
    EXPECT_GT(layout->heap_stride, 0U);
    EXPECT_LE(layout->heap_stride, machine_memory());
    EXPECT_LE(window_bytes(layout->heap_stride, pes), kLargestWindow);
}

INSTANTIATE_TEST_SUITE_P(Pes, NodeLayoutOf, testing::Values(1, 2, 3, 8, 64, 1000));

TEST(NodeLayout, respects_the_limit_on_file_size) {
    LowerLimit limit(RLIMIT_FSIZE, rlim_t{1} << 30);
    auto layout = plan_node_layout(3);
    ASSERT_TRUE(layout) << layout.error().text();
    EXPECT_LE(layout->file_bytes(3), std::uint64_t{1} << 30);
    EXPECT_GT(layout->heap_stride, std::uint64_t{240} << 20);
    EXPECT_TRUE(create_node_file(3, kId));
}

TEST(NodeLayout, says_which_limit_leaves_no_room) {
    LowerLimit limit(RLIMIT_FSIZE, 4096);
    auto layout = plan_node_layout(3);
    ASSERT_FALSE(layout);
    EXPECT_NE(layout.error().text().find("ulimit -f"), std::string::npos) << layout.error().text();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which need all addresses themselves
TEST(NodeLayout, respects_the_limit_on_addresses) {
    LowerLimit limit(RLIMIT_AS, rlim_t{4} << 30);
    auto layout = plan_node_layout(3);
    ASSERT_TRUE(layout) << layout.error().text();
    EXPECT_LE(window_bytes(layout->heap_stride, 3), std::uint64_t{2} << 30);
}
#endif

} // namespace
} // namespace shm

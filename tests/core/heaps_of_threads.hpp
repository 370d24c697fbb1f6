// SPDX-License-Identifier: Apache-2.0
// Symmetric heaps of PEs that are threads, over memory that exists in the books only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/extent_set.hpp"
#include "core/heap.hpp"
#include "endless_sleeps.hpp"
#include "node_of_threads.hpp"

namespace shm::test {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGranule = 64 << 10;
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// Memory that exists in the books only, and of which there is never enough when a test says so.
class FakeMemory final : public HeapMemory {
public:
    std::uint64_t capacity() const override { return 1024 * kMiB; }
    std::uint64_t granule() const override { return kGranule; }
    MemoryLimit available() const override { return {available_bytes, 512 * kMiB, "the limit of this test"}; }

    Result<void> take(Extent extent) override {
        ++takes;
        EXPECT_EQ(extent.begin % kGranule + extent.end % kGranule, 0U);
        EXPECT_TRUE(taken.within(extent).empty()) << "taken twice";
        if (takes_until_failure-- == 0)
            return fail("the test says no");
        taken.add(extent);
        return {};
    }

    void give_back(Extent extent) override {
        EXPECT_TRUE(taken.missing(extent).empty()) << "given back without having been taken";
        taken.remove(extent);
    }

    std::uint64_t taken_bytes() const { return total_bytes(taken.within({0, capacity()})); }
    bool holds(Extent extent) const { return taken.missing(extent).empty(); }

    ExtentSet taken;
    int takes = 0;
    std::uint64_t available_bytes = kNever;
    std::uint64_t takes_until_failure = kNever;
};

/// The heap of one PE, with calls that all PEs make alike.
class AgreedHeap {
public:
    explicit AgreedHeap(SymmetricHeap& heap) : heap_(heap) {}

    std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment) {
        auto offset = heap_.allocate("malloc", bytes, alignment);
        EXPECT_TRUE(offset) << offset.error().text();
        return offset ? *offset : std::nullopt;
    }
    bool free(std::uint64_t offset) { return heap_.size_of(offset) && heap_.free("free", offset); }
    bool resize(std::uint64_t offset, std::uint64_t bytes) {
        auto resized = heap_.resize("realloc", offset, bytes);
        return resized && *resized;
    }
    std::optional<std::uint64_t> size_of(std::uint64_t offset) const { return heap_.size_of(offset); }
    std::uint64_t extent() const { return heap_.extent(); }
    const Error& shortage() const { return heap_.shortage(); }
    SymmetricHeap& itself() { return heap_; }

private:
    SymmetricHeap& heap_;
};

struct HeapOfPe {
    int pe;
    FakeMemory& memory;
    AgreedHeap& heap;
};

class HeapsOfThreads : public testing::TestWithParam<int> {
protected:
    static int last_pe() { return GetParam() - 1; }

    void run(const std::function<void(HeapOfPe)>& program, std::uint64_t cap = kNever,
             bool keep_freed = false) {
        NodeOfThreads node(GetParam());
        node.run([&](NodeOfThreads::Pe& pe) {
            FakeMemory memory;
            Agreement agreement(
                pe.number, node.n_pes(),
                [&node](int other) -> CallRecords& { return node.pages().slot(other).calls; }, pe.barrier);
            SymmetricHeap heap(memory, {cap, "the limit of this test", 0x1000, keep_freed}, node.n_pes(),
                               agreement, pe.vote,
                               std::move(*ObjectLines::create(std::min(cap, memory.capacity()))));
            AgreedHeap agreed(heap);
            program({pe.number, memory, agreed});
        });
    }

    EndlessSleeps endless_sleeps_;
};

} // namespace shm::test

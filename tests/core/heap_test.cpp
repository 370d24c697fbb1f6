// SPDX-License-Identifier: Apache-2.0
#include "core/heap.hpp"

#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "heaps_of_threads.hpp"

namespace shm {
namespace {

using namespace test;

class HeapTest : public HeapsOfThreads {};

INSTANTIATE_TEST_SUITE_P(Pes, HeapTest, testing::Values(1, 2, 5));

TEST_P(HeapTest, the_memory_of_an_object_exists_in_whole_granules) {
    run([](HeapOfPe here) {
        EXPECT_EQ(here.heap.allocate(100, 1), 0U);
        EXPECT_EQ(here.memory.taken_bytes(), kGranule);
        auto second = here.heap.allocate(kGranule, 1);
        ASSERT_TRUE(second);
        EXPECT_TRUE(here.memory.holds({*second, *second + kGranule}));
        EXPECT_EQ(here.memory.taken_bytes(), 2 * kGranule);
        EXPECT_EQ(here.heap.size_of(*second), kGranule);
    });
}

TEST_P(HeapTest, large_objects_begin_where_a_huge_page_can) {
    run([](HeapOfPe here) {
        here.heap.allocate(100, 1);
        EXPECT_EQ(here.heap.allocate(kHugePage, 1), kHugePage);
    });
}

TEST_P(HeapTest, when_one_pe_cannot_take_its_memory_nobody_gets_any) {
    run([](HeapOfPe here) {
        auto first = here.heap.allocate(8 * kMiB, 1);
        std::uint64_t before = here.memory.taken_bytes();
        if (here.pe == last_pe())
            here.memory.takes_until_failure = 0;
        EXPECT_FALSE(here.heap.allocate(16 * kMiB, 1));
        EXPECT_EQ(here.memory.taken_bytes(), before);
        std::string reason = here.heap.shortage().text();
        EXPECT_EQ(reason, here.pe == last_pe() ? "the test says no" : "another PE could not take its memory");
        EXPECT_EQ(here.heap.size_of(*first), 8 * kMiB);
        EXPECT_EQ(here.heap.allocate(16 * kMiB, 1), 8 * kMiB) << "as if it had not been tried";
    });
}

TEST_P(HeapTest, what_was_taken_before_the_failure_is_given_back) {
    run([](HeapOfPe here) {
        auto first = here.heap.allocate(8 * kMiB, 1);
        auto middle = here.heap.allocate(1 * kMiB, 1);
        auto last = here.heap.allocate(8 * kMiB, 1);
        for (auto offset : {first, last, middle})
            EXPECT_TRUE(here.heap.free(*offset));
        ASSERT_EQ(here.memory.taken_bytes(), 1 * kMiB) << "so the next object needs two pieces";
        here.memory.takes = 0;
        if (here.pe == last_pe())
            here.memory.takes_until_failure = 1;
        EXPECT_FALSE(here.heap.allocate(18 * kMiB, 1));
        EXPECT_EQ(here.memory.takes, 2);
        EXPECT_EQ(here.memory.taken_bytes(), 1 * kMiB);
        EXPECT_EQ(here.heap.allocate(18 * kMiB, 1), 0U);
    });
}

TEST_P(HeapTest, when_one_pe_finds_too_little_left_nobody_even_tries) {
    run([](HeapOfPe here) {
        if (here.pe == last_pe())
            here.memory.available_bytes = kMiB;
        EXPECT_FALSE(here.heap.allocate(16 * kMiB, 1));
        EXPECT_EQ(here.memory.takes, 0);
        EXPECT_EQ(
            here.heap.shortage().text(),
            format_text("1 MiB are left of the limit of this test (512 MiB), as PE {} finds", last_pe()));
    });
}

TEST_P(HeapTest, the_need_of_all_pes_is_compared_with_what_is_left) {
    run([](HeapOfPe here) {
        here.memory.available_bytes = static_cast<std::uint64_t>(GetParam()) * 16 * kMiB;
        EXPECT_FALSE(here.heap.allocate(16 * kMiB + 1, 1));
        EXPECT_TRUE(here.heap.allocate(16 * kMiB, 1));
    });
}

TEST_P(HeapTest, memory_that_exists_already_needs_nothing_left) {
    run([](HeapOfPe here) {
        auto offset = here.heap.allocate(kMiB, 1);
        here.heap.free(*offset);
        here.memory.available_bytes = 0;
        EXPECT_EQ(here.heap.allocate(kMiB, 1), offset);
    });
}

TEST_P(HeapTest, more_than_the_cap_is_refused_on_all_pes) {
    run(
        [](HeapOfPe here) {
            EXPECT_FALSE(here.heap.allocate(4 * kMiB + 1, 1));
            EXPECT_EQ(here.heap.shortage().text(),
                      "the largest free piece of each PE's heap has 4 MiB, of 4 MiB "
                      "in all (SHMEM_SYMMETRIC_SIZE)");
            EXPECT_TRUE(here.heap.allocate(4 * kMiB, 1));
            EXPECT_FALSE(here.heap.allocate(1, 1));
        },
        4 * kMiB);
}

TEST_P(HeapTest, a_cap_of_zero_forbids_allocation) {
    run([](HeapOfPe here) { EXPECT_FALSE(here.heap.allocate(1, 1)); }, 0);
}

TEST_P(HeapTest, freed_memory_goes_back_unless_it_is_little) {
    run([](HeapOfPe here) {
        auto large = here.heap.allocate(64 * kMiB, 1);
        auto small = here.heap.allocate(kMiB, 1);
        EXPECT_TRUE(here.heap.free(*large));
        EXPECT_EQ(here.memory.taken_bytes(), kMiB);
        EXPECT_TRUE(here.heap.free(*small));
        EXPECT_EQ(here.memory.taken_bytes(), kMiB);
    });
}

TEST_P(HeapTest, what_is_kept_of_many_freed_objects_is_little) {
    run([](HeapOfPe here) {
        std::vector<std::uint64_t> freed;
        for (int pair = 0; pair < 20; ++pair) {
            freed.push_back(*here.heap.allocate(kMiB, 1));
            here.heap.allocate(kGranule, 1); // so that no two gaps join
        }
        for (std::uint64_t offset : freed)
            here.heap.free(offset);
        EXPECT_LE(here.memory.taken_bytes(), 20 * kGranule + 5 * kMiB);
    });
}

TEST_P(HeapTest, a_loop_of_small_allocations_takes_memory_once) {
    run([](HeapOfPe here) {
        for (int round = 0; round < 100; ++round) {
            auto offset = here.heap.allocate(kMiB, 1);
            ASSERT_TRUE(offset);
            EXPECT_TRUE(here.heap.free(*offset));
        }
        EXPECT_EQ(here.memory.takes, 1);
    });
}

TEST_P(HeapTest, any_thread_finds_the_object_around_an_offset_while_others_come_and_go) {
    run([](HeapOfPe here) {
        auto kept = here.heap.allocate(1000, 1);
        std::atomic<bool> done{false};
        std::thread looking([&] {
            while (!done) {
                auto found = here.heap.itself().object_around(*kept + 999);
                EXPECT_TRUE(found && found->begin == *kept && found->bytes() == 1000);
            }
        });
        for (int round = 0; round < 200; ++round)
            here.heap.free(*here.heap.allocate(64, 1));
        done = true;
        looking.join();
        EXPECT_FALSE(here.heap.itself().object_around(*kept + 1024));
    });
}

TEST_P(HeapTest, only_the_beginning_of_an_object_can_be_freed_and_only_once) {
    run([](HeapOfPe here) {
        auto offset = here.heap.allocate(1000, 1);
        EXPECT_FALSE(here.heap.free(*offset + 64));
        EXPECT_FALSE(here.heap.size_of(*offset + 64));
        EXPECT_TRUE(here.heap.free(*offset));
        EXPECT_FALSE(here.heap.free(*offset));
    });
}

TEST_P(HeapTest, an_object_grows_where_there_is_room) {
    run([](HeapOfPe here) {
        auto offset = here.heap.allocate(kMiB, 1);
        EXPECT_TRUE(here.heap.resize(*offset, 10 * kMiB));
        EXPECT_EQ(here.heap.size_of(*offset), 10 * kMiB);
        EXPECT_TRUE(here.memory.holds({*offset, *offset + 10 * kMiB}));
        here.heap.allocate(1, 1);
        EXPECT_FALSE(here.heap.resize(*offset, 11 * kMiB));
        EXPECT_EQ(here.heap.size_of(*offset), 10 * kMiB);
    });
}

TEST_P(HeapTest, an_object_that_cannot_grow_on_one_pe_stays_as_it_was_on_all) {
    run([](HeapOfPe here) {
        auto offset = here.heap.allocate(kMiB, 1);
        if (here.pe == last_pe())
            here.memory.takes_until_failure = 0;
        EXPECT_FALSE(here.heap.resize(*offset, 10 * kMiB));
        EXPECT_EQ(here.heap.size_of(*offset), kMiB);
        EXPECT_EQ(here.memory.taken_bytes(), kMiB);
        EXPECT_EQ(here.heap.allocate(1, 1), kMiB) << "what it would have grown into is free";
    });
}

TEST_P(HeapTest, an_object_that_shrinks_gives_its_rest_back) {
    run([](HeapOfPe here) {
        auto offset = here.heap.allocate(64 * kMiB, 1);
        EXPECT_TRUE(here.heap.resize(*offset, 10 * kMiB));
        EXPECT_EQ(here.heap.size_of(*offset), 10 * kMiB);
        EXPECT_EQ(here.memory.taken_bytes(), 10 * kMiB);
        EXPECT_EQ(here.heap.extent(), 10 * kMiB);
    });
}

TEST_P(HeapTest, extent_is_the_end_of_the_last_object) {
    run([](HeapOfPe here) {
        EXPECT_EQ(here.heap.extent(), 0U);
        auto first = here.heap.allocate(100, 1);
        auto second = here.heap.allocate(100, 1);
        EXPECT_EQ(here.heap.extent(), 256U);
        here.heap.free(*first);
        EXPECT_EQ(here.heap.extent(), 256U);
        here.heap.free(*second);
        EXPECT_EQ(here.heap.extent(), 0U);
    });
}

TEST_P(HeapTest, ranges_are_held_by_one_object_only) {
    run([](HeapOfPe here) {
        auto small = here.heap.allocate(100, 1);
        auto large = here.heap.allocate(kMiB, 1);
        SymmetricHeap& heap = here.heap.itself();
        EXPECT_TRUE(heap.holds(*small, 100));
        EXPECT_FALSE(heap.holds(*small, 101));
        for (std::uint64_t bytes :
             {std::uint64_t{1}, ObjectLines::kLongest, ObjectLines::kLongest + 1, kMiB}) {
            EXPECT_TRUE(heap.holds(*large, bytes)) << bytes;
            EXPECT_TRUE(heap.holds(*large + kMiB - bytes, bytes)) << bytes;
            EXPECT_FALSE(heap.holds(*large + kMiB - bytes + 1, bytes)) << bytes;
        }
        here.heap.free(*large);
        EXPECT_FALSE(heap.holds(*large, 1));
        EXPECT_FALSE(heap.holds(*large, kMiB));
        EXPECT_TRUE(here.heap.resize(*small, 200));
        EXPECT_TRUE(heap.holds(*small, 200));
        EXPECT_TRUE(here.heap.resize(*small, 50));
        EXPECT_FALSE(heap.holds(*small, 51));
    });
}

TEST_P(HeapTest, kept_freed_objects_are_remembered_and_their_room_is_not_used_again) {
    run(
        [](HeapOfPe here) {
            auto object = here.heap.allocate(kMiB, 1);
            EXPECT_TRUE(here.heap.free(*object));
            EXPECT_FALSE(here.heap.size_of(*object));
            EXPECT_FALSE(here.heap.itself().holds(*object, 1));
            auto freed = here.heap.itself().freed_object_around(*object + 5);
            ASSERT_TRUE(freed);
            EXPECT_EQ(freed->bytes(), kMiB);
            EXPECT_EQ(here.memory.taken_bytes(), 0U) << "its memory is not kept";
            EXPECT_NE(here.heap.allocate(kMiB, 1), object);
        },
        kNever, true);
}

TEST_P(HeapTest, kept_freed_room_is_used_rather_than_none) {
    run(
        [](HeapOfPe here) {
            for (int round = 0; round < 5; ++round) {
                auto object = here.heap.allocate(3 * kMiB, 1);
                ASSERT_TRUE(object) << round;
                EXPECT_TRUE(here.memory.holds({*object, *object + 3 * kMiB}));
                EXPECT_TRUE(here.heap.free(*object));
            }
        },
        4 * kMiB, true);
}

/// Random calls, the same on all PEs, with failures that only one PE has.
class RandomCalls {
public:
    RandomCalls(HeapOfPe here, unsigned seed) : here_(here), random_(seed) {}

    /// The result of each call.
    std::vector<std::uint64_t> make(int calls) {
        for (int call = 0; call < calls; ++call) {
            int failing = static_cast<int>(random_() % 16);
            here_.memory.takes_until_failure = failing == here_.pe ? random_() % 2 : kNever;
            if (failing != here_.pe)
                random_(); // the same number of draws everywhere
            if (objects_.empty() || random_() % 3 > 0)
                allocate();
            else
                free_or_resize();
        }
        here_.memory.takes_until_failure = kNever;
        for (std::uint64_t offset : objects_)
            EXPECT_TRUE(here_.heap.free(offset));
        return std::move(results_);
    }

private:
    void allocate() {
        std::uint64_t bytes = 1 + random_() % (1U << random_() % 24);
        auto offset = here_.heap.allocate(bytes, std::uint64_t{1} << random_() % 20);
        results_.push_back(offset.value_or(kNever));
        if (!offset)
            return;
        EXPECT_TRUE(here_.memory.holds({*offset, *offset + bytes}));
        objects_.push_back(*offset);
    }

    void free_or_resize() {
        std::swap(objects_[random_() % objects_.size()], objects_.back());
        if (random_() % 3 > 0) {
            EXPECT_TRUE(here_.heap.free(objects_.back()));
            objects_.pop_back();
            return;
        }
        std::uint64_t bytes = 1 + random_() % (1U << 22);
        bool resized = here_.heap.resize(objects_.back(), bytes);
        EXPECT_TRUE(!resized || here_.memory.holds({objects_.back(), objects_.back() + bytes}));
        results_.push_back(*here_.heap.size_of(objects_.back()));
    }

    HeapOfPe here_;
    std::mt19937 random_;
    std::vector<std::uint64_t> objects_, results_;
};

TEST_P(HeapTest, random_calls_with_failures_give_the_same_on_all_pes) {
    for (unsigned seed : {1U, 2U, 3U}) {
        std::vector<std::vector<std::uint64_t>> results(static_cast<std::size_t>(GetParam()));
        run([&](HeapOfPe here) {
            results[static_cast<std::size_t>(here.pe)] = RandomCalls(here, seed).make(300);
            EXPECT_EQ(here.heap.extent(), 0U);
            EXPECT_LE(here.memory.taken_bytes(), 4 * kMiB) << "all else has been given back";
        });
        for (const auto& of_pe : results)
            EXPECT_EQ(of_pe, results[0]) << "seed " << seed;
    }
}

} // namespace
} // namespace shm

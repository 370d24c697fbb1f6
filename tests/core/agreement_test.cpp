// SPDX-License-Identifier: Apache-2.0
#include "core/agreement.hpp"

#include <gtest/gtest.h>

#include "heaps_of_threads.hpp"

namespace shm {
namespace {

using namespace test;

class AgreementTest : public HeapsOfThreads {};

INSTANTIATE_TEST_SUITE_P(Pes, AgreementTest, testing::Values(2, 5));

TEST_P(AgreementTest, other_arguments_on_one_pe_are_an_error_on_all_and_change_nothing) {
    run([](HeapOfPe here) {
        auto object = here.heap.allocate(kMiB, 1);
        std::uint64_t bytes = here.pe == last_pe() ? 128 : 64;
        auto refused = here.heap.itself().allocate("malloc", bytes, 1);
        ASSERT_FALSE(refused);
        std::string others = GetParam() == 2 ? "0" : "0-3";
        EXPECT_EQ(
            refused.error().text(),
            format_text("size differs between PEs: 64 on PE {}; 128 on PE {}. It must be the same on all "
                        "of them",
                        others, last_pe()));
        EXPECT_TRUE(refused.error().is_alike_on_all_pes());
        EXPECT_EQ(here.heap.extent(), kMiB);
        EXPECT_FALSE(here.heap.itself().resize("realloc", *object, bytes));
        EXPECT_EQ(here.heap.size_of(*object), kMiB);
        EXPECT_TRUE(here.heap.itself().holds(*object, kMiB));
        EXPECT_EQ(here.heap.allocate(64, 1), kMiB);
    });
}

TEST_P(AgreementTest, other_calls_on_one_pe_are_an_error_on_all) {
    run([](HeapOfPe here) {
        auto object = here.heap.allocate(64, 1);
        std::string text;
        if (here.pe == 0)
            text = here.heap.itself().free("free", *object).error().text();
        else
            text = here.heap.itself().allocate("malloc", 64, 1).error().text();
        EXPECT_EQ(text,
                  format_text("the PEs make different collective calls: free on PE 0; malloc on PE {}. All "
                              "PEs must make the same ones, in the same order",
                              GetParam() == 2 ? "1" : "1-4"));
        EXPECT_EQ(here.heap.size_of(*object), 64U);
        EXPECT_EQ(here.heap.allocate(64, 1), 64U);
    });
}

TEST_P(AgreementTest, who_is_in_a_barrier_meanwhile_is_named) {
    NodeOfThreads node(GetParam());
    node.run([&](NodeOfThreads::Pe& pe) {
        Agreement agreement(
            pe.number, node.n_pes(),
            [&node](int other) -> CallRecords& { return node.pages().slot(other).calls; }, pe.barrier);
        if (pe.number == 0) {
            pe.barrier.wait("test");
            return;
        }
        auto met = agreement.meet({"malloc"});
        ASSERT_FALSE(met);
        EXPECT_NE(met.error().text().find("another one (perhaps a barrier) on PE 0"), std::string::npos)
            << met.error().text();
        EXPECT_FALSE(met.error().is_alike_on_all_pes());
    });
}

} // namespace
} // namespace shm

// SPDX-License-Identifier: Apache-2.0
#include "core/domain_call.hpp"

#include <random>

#include <gtest/gtest.h>

#include "endless_sleeps.hpp"
#include "node_of_threads.hpp"

namespace shm {
namespace {

using test::NodeOfThreads;
using Pe = NodeOfThreads::Pe;

class DomainCallTest : public testing::Test {
protected:
    static constexpr int kPes = 5;

    DomainCaller caller(Pe& pe) {
        return DomainCaller(
            pe.number,
            [this](int other) {
                PeSlot& slot = node_.pages().slot(other);
                return DomainCaller::Member{&slot.domain_call, &slot.wake_up};
            },
            pe.waiter);
    }
    static ShareDomain domain(std::vector<int> pes, const Pe& pe) {
        return *ShareDomain::of(pes, pe.number, kPes);
    }
    static DomainRequest allocate(std::uint64_t bytes) { return {0, DomainRequest::allocate, bytes, 0}; }

    test::EndlessSleeps endless_sleeps_;
    NodeOfThreads node_{kPes};
};

TEST_F(DomainCallTest, the_lowest_pe_acts_once_after_all_have_called_and_all_hear_of_it) {
    int plain[kPes] = {}; // ThreadSanitizer reports what the call does not order
    std::atomic<int> acts{0};
    node_.run([&](Pe& pe) {
        if (pe.number == 1)
            return; // not a member
        DomainCaller here = caller(pe);
        for (int round = 1; round <= 200; ++round) {
            plain[pe.number] = round;
            DomainAnswer answer = here.call("alloc", domain({4, 0, 3, 2}, pe), allocate(64), [&] {
                ++acts;
                EXPECT_EQ(pe.number, 0);
                for (int member : {0, 2, 3, 4})
                    EXPECT_EQ(plain[member], round);
                return DomainAnswer{DomainAnswer::done, static_cast<std::uint64_t>(round), "text"};
            });
            EXPECT_EQ(answer.outcome, DomainAnswer::done);
            EXPECT_EQ(answer.offset, static_cast<std::uint64_t>(round));
        }
    });
    EXPECT_EQ(acts, 200);
}

TEST_F(DomainCallTest, overlapping_domains_are_served_in_any_order_that_is_the_same_everywhere) {
    std::vector<std::vector<int>> domains;
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        std::vector<int> pes;
        for (int pe = 0; pe < kPes; ++pe)
            if (random() % 2 == 0)
                pes.push_back(pe);
        if (!pes.empty())
            domains.push_back(pes);
    }
    node_.run([&](Pe& pe) {
        DomainCaller here = caller(pe);
        for (std::size_t i = 0; i < domains.size(); ++i) {
            if (std::count(domains[i].begin(), domains[i].end(), pe.number) == 0)
                continue;
            DomainAnswer answer = here.call("alloc", domain(domains[i], pe), allocate(i + 1), [&] {
                return DomainAnswer{DomainAnswer::done, i, ""};
            });
            EXPECT_EQ(answer.outcome, DomainAnswer::done) << answer.text;
            EXPECT_EQ(answer.offset, i);
        }
    });
}

TEST_F(DomainCallTest, different_requests_are_refused_with_who_asked_for_what) {
    node_.run([&](Pe& pe) {
        DomainCaller here = caller(pe);
        DomainAnswer answer = here.call("alloc", domain({0, 1, 2, 3, 4}, pe),
                                        allocate(pe.number == 3 ? 128 : 64), [&]() -> DomainAnswer {
                                            ADD_FAILURE() << "acted";
                                            return {};
                                        });
        EXPECT_EQ(answer.outcome, DomainAnswer::misuse);
        EXPECT_EQ(answer.text,
                  "the PEs of the share domain {0-4} ask for different things: 128 bytes to allocate "
                  "on PE 3; 64 bytes to allocate on PE 0-2, 4. They must ask for the same");
    });
}

} // namespace
} // namespace shm

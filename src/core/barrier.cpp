// SPDX-License-Identifier: Apache-2.0
#include "core/barrier.hpp"

#include <utility>

namespace shm {
namespace {

bool reached(const std::atomic<std::uint64_t>& word, std::uint64_t round) {
    // acquire: pairs with the release of who entered the round. A difference, so that the count may wrap.
    return static_cast<std::int64_t>(word.load(std::memory_order_acquire) - round) >= 0;
}

} // namespace

Barrier::Barrier(int my_pe, int n_pes, CentralBarrier& central, MemberOf member, Waiter& waiter)
    : n_pes_(n_pes), own_(member(my_pe)), central_(central), member_(std::move(member)), waiter_(waiter) {
    for (int distance = 1; distance < n_pes; distance *= 2)
        partner_[steps_++] = member_((my_pe + distance) % n_pes);
}

void Barrier::wait(const char* call) {
    std::uint64_t round = next_round();
    own_.flags->rounds_entered.store(round, std::memory_order_relaxed);
    if (dissemination_)
        disseminate(call, round);
    else
        meet_centrally(call, round);
}

template <typename Ready>
void Barrier::wait_until(const char* call, Ready ready) {
    waiter_.wait(kBarrierPosition, ready,
                 [call] { return WaitView::of(call, WaitsFor::all_pes, kBarrierPosition); });
}

void Barrier::disseminate(const char* call, std::uint64_t round) {
    for (int step = 0; step < steps_; ++step) {
        // release: passes on what this PE did before, and, with the acquire of the earlier steps, what it
        // saw.
        partner_[step].flags->step[step].round.store(round, std::memory_order_release);
        partner_[step].wake_up->notify(kBarrierPosition, 1);
        // A partner may be one round ahead, never behind: hence "at least".
        wait_until(call, [&] { return reached(own_.flags->step[step].round, round); });
    }
}

void Barrier::meet_centrally(const char* call, std::uint64_t round) {
    // acq_rel: the last PE to arrive gathers what all others did before and passes it on with the round.
    if (central_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < n_pes_) {
        wait_until(call, [&] { return reached(central_.round, round); });
        return;
    }
    // relaxed: nobody counts again before it has seen the round, which is released after.
    central_.arrived.store(0, std::memory_order_relaxed);
    central_.round.store(round, std::memory_order_release);
    for (int pe = 0; pe < n_pes_; ++pe)
        member_(pe).wake_up->notify(kBarrierPosition, 1);
}

Vote::Vote(VoteCounters& counters, Barrier& barrier) : counters_(counters), barrier_(barrier) {
    for (int turn = 0; turn < 2; ++turn)
        seen_[turn] = counters_.failures[turn].load(std::memory_order_relaxed);
}

bool Vote::unanimous(const char* call, bool mine) {
    // Two counters in turn: a PE that is already in the next vote does not disturb one that still reads this
    // one's, and the vote after the next cannot begin before all have read it.
    int turn = turn_;
    turn_ ^= 1;
    // relaxed: the barrier orders the count.
    if (!mine)
        counters_.failures[turn].fetch_add(1, std::memory_order_relaxed);
    barrier_.wait(call);
    std::int32_t failures = counters_.failures[turn].load(std::memory_order_relaxed);
    return failures == std::exchange(seen_[turn], failures);
}

} // namespace shm

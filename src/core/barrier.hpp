// SPDX-License-Identifier: Apache-2.0
// Barrier: all PEs of a node wait for each other, by loads and stores alone.
//
// Two algorithms share one count of rounds, so that either may do the next round. Dissemination: in step k
// each PE flags the PE 2^k behind it and waits for its own flag; the fastest while every PE has a CPU (for
// two PEs, one hand-off). Central: each PE counts itself in and the last one opens the gate; with more PEs
// than CPUs each PE then needs to be scheduled once, not once a step.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/wait.hpp"
#include "base/wake_up.hpp"

namespace shm {

inline constexpr int kBarrierSteps = 24; // enough for 2^24 PEs

/// One per PE, in shared memory; all bytes zero is a valid initial state.
struct DisseminationFlags {
    struct alignas(64) Flag {
        std::atomic<std::uint64_t> round;
    };
    Flag step[kBarrierSteps];
    // Written by the owner alone. Kept here so that leaving and joining again continues the count, and shown
    // to the launcher.
    alignas(64) std::atomic<std::uint64_t> rounds_entered;
};

/// One per node, in shared memory; all bytes zero is a valid initial state.
struct CentralBarrier {
    alignas(64) std::atomic<std::int32_t> arrived;
    alignas(64) std::atomic<std::uint64_t> round; // the last one that everybody entered
};

/// One PE's view of the barrier. One thread at a time may use it.
class Barrier {
public:
    struct Member {
        DisseminationFlags* flags;
        WakeUp* wake_up;
    };
    /// Where the flags and the wake-up of a PE are.
    using MemberOf = std::function<Member(int pe)>;

    Barrier(int my_pe, int n_pes, CentralBarrier& central, MemberOf member, Waiter& waiter);

    /// Takes effect at the next wait; all PEs call it between the same two rounds.
    void set_dissemination(bool dissemination) { dissemination_ = dissemination; }

    /// Everything that any PE did before its call is visible to every PE after its own. `call` is the public
    /// function that waits.
    void wait(const char* call);

    /// The number of the round that the next wait() is.
    std::uint64_t next_round() const {
        // relaxed: one writer; orders nothing.
        return own_.flags->rounds_entered.load(std::memory_order_relaxed) + 1;
    }

private:
    void disseminate(const char* call, std::uint64_t round);
    void meet_centrally(const char* call, std::uint64_t round);
    template <typename Ready>
    void wait_until(const char* call, Ready ready);

    int n_pes_;
    int steps_ = 0;
    Member partner_[kBarrierSteps]; // of each step
    Member own_;
    CentralBarrier& central_;
    MemberOf member_;
    Waiter& waiter_;
    bool dissemination_ = false;
};

/// Counters by which PEs tell each other that a step failed somewhere; one per node, in shared memory.
struct VoteCounters {
    std::atomic<std::int32_t> failures[2];
};

/// One PE's view of the votes. Collective; one thread at a time. Between its construction, on all PEs, and
/// the first vote there is a barrier.
class Vote {
public:
    Vote(VoteCounters& counters, Barrier& barrier);
    /// Whether all PEs called it with true. A barrier of the public function `call`.
    bool unanimous(const char* call, bool mine);

private:
    VoteCounters& counters_;
    Barrier& barrier_;
    std::int32_t seen_[2];
    int turn_ = 0;
};

} // namespace shm

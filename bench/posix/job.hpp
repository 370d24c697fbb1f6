// SPDX-License-Identifier: Apache-2.0
// How the PEs of the benchmark agree, outside of what is timed: through the library's own symmetric memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <sys/types.h>

#include "shmem.h"
#include "shmemx.h"

namespace shm::bench {

inline constexpr int kMeasuredEvent = 0;
inline constexpr int kMeetEvent = 63;

/// Who a PE is, for the others.
struct PeInfo {
    pid_t process;
    int cpu;         // where it ran when asked
    int usable_cpus; // how many its main thread may use; 1: it is pinned
};

/// One PE's symmetric memory that the harness and the small measurements use.
struct SymmetricArea {
    alignas(64) std::byte mailbox[2][256];
    alignas(64) std::byte announcement[256];
    alignas(64) std::atomic<std::uint64_t> hand_off;
    alignas(64) std::uint64_t signal;
    alignas(64) std::uint64_t words[64]; // where the 8-byte puts go
};

/// The job as seen by one PE. All members are collective.
class Job {
public:
    Job();
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    int me() const { return me_; }
    int n_pes() const { return n_pes_; }
    SymmetricArea& area() { return *area_; }
    const std::vector<PeInfo>& pes() const { return pes_; }
    std::vector<pid_t> processes() const;

    /// What PE `from` has in `value`, on every PE.
    template <typename T>
    T broadcast(const T& value, int from);

private:
    void broadcast_bytes(void* bytes, std::size_t count, int from);

    int me_;
    int n_pes_;
    SymmetricArea* area_;
    std::vector<PeInfo> pes_;
};

/// Two PEs that measure while the others sleep in a barrier.
class Pair {
public:
    Pair(Job& job, int sender, int receiver)
        : job_(job), sender_(sender), receiver_(receiver), peer_(job.me() == sender ? receiver : sender) {}

    Job& job() { return job_; }
    int sender() const { return sender_; }
    int receiver() const { return receiver_; }
    int peer() const { return peer_; }
    /// Whether this PE is the sender, which also keeps the samples.
    bool sends() const { return peer_ == receiver_; }

    /// Returns when both are here.
    void meet() {
        shmemx_signal_event(kMeetEvent, peer_);
        shmemx_wait_event(kMeetEvent);
    }

    /// Gives the peer's value for this PE's own.
    template <typename T>
    T exchange(const T& mine);

private:
    Job& job_;
    int sender_;
    int receiver_;
    int peer_;
    int exchanges_ = 0;
};

template <typename T>
T Job::broadcast(const T& value, int from) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof area_->announcement);
    T result = value;
    broadcast_bytes(&result, sizeof result, from);
    return result;
}

template <typename T>
T Pair::exchange(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof job_.area().mailbox[0]);
    // Two mailboxes in turn: the peer cannot come to the next but one exchange before this one is read here.
    void* mailbox = job_.area().mailbox[exchanges_++ % 2];
    shmem_putmem(mailbox, &mine, sizeof mine, peer_);
    meet();
    T theirs;
    std::memcpy(&theirs, mailbox, sizeof theirs);
    return theirs;
}

} // namespace shm::bench

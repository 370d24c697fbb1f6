// SPDX-License-Identifier: Apache-2.0
// A node whose PEs are threads of one process, over the same control pages that processes share.
// ThreadSanitizer sees no races between processes.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "core/barrier.hpp"
#include "core/job.hpp"

namespace shm::test {

class NodeOfThreads {
public:
    struct Pe {
        int number;
        PeSlot& slot;
        Waiter& waiter;
        Barrier& barrier;
        Vote& vote;
    };

    explicit NodeOfThreads(int n_pes)
        : n_pes_(n_pes), memory_(::operator new(ControlPages::bytes(n_pes), kAlignment)),
          pages_(memory_.get()) {
        std::memset(memory_.get(), 0, ControlPages::bytes(n_pes));
    }

    /// Each PE spins for this time before it sleeps; less than the machine's turn, so that sleeps happen.
    void set_waiting(bool yield, std::chrono::microseconds spin_time) {
        yield_ = yield;
        spin_time_ = spin_time;
    }

    /// Every PE joins, runs `program` in a thread of its own and leaves.
    void run(const std::function<void(Pe&)>& program) {
        std::vector<std::thread> threads;
        for (int pe = 0; pe < n_pes_; ++pe)
            threads.emplace_back([this, pe, &program] { run_pe(pe, program); });
        for (std::thread& thread : threads)
            thread.join();
    }

    int n_pes() const { return n_pes_; }
    ControlPages pages() const { return pages_; }

private:
    static constexpr std::align_val_t kAlignment{alignof(PeSlot)};
    struct Delete {
        void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
    };

    void run_pe(int pe, const std::function<void(Pe&)>& program) {
        PeSlot& slot = pages_.slot(pe);
        Waiter waiter(slot.wake_up, slot.waits, spin_time_);
        waiter.set_yield(yield_);
        auto member = [this](int other) {
            return Barrier::Member{&pages_.slot(other).barrier_flags, &pages_.slot(other).wake_up};
        };
        Barrier barrier(pe, n_pes_, pages_.header().central_barrier, member, waiter);
        Vote vote(pages_.header().votes, barrier);
        Pe here{pe, slot, waiter, barrier, vote};
        barrier.wait("start"); // as the runtime does: nobody votes before all have joined
        program(here);
    }

    int n_pes_;
    bool yield_ = true;
    std::chrono::microseconds spin_time_{20};
    std::unique_ptr<void, Delete> memory_;
    ControlPages pages_;
};

} // namespace shm::test

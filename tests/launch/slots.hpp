// SPDX-License-Identifier: Apache-2.0
// The control pages of a job of three PEs, in this process's memory, and a roster over them.
#pragma once

#include <cstdlib>
#include <memory>

#include "launch/roster.hpp"

namespace shm::launch {

constexpr int exited(int status) { // as wait() tells it
    return status << 8;
}

class Slots {
public:
    static constexpr int kPes = 3;

    Slots() : memory_(std::calloc(1, bytes()), std::free), pages_(aligned(memory_.get())) {
        pages_.header().n_pes = kPes;
    }

    /// PE `pe` has come to `phase`, and waits for one thing at most, since the given time.
    void set(int pe, Phase phase, WaitsFor waits_for = WaitsFor::nothing, std::uint64_t since = 1) {
        PeSlot& slot = pages_.slot(pe);
        slot.phase = phase;
        for (int record = 0; record < WaitRecords::kRecords; ++record) {
            if (slot.waits.read(record))
                slot.waits.end(record);
        }
        if (waits_for == WaitsFor::nothing)
            return;
        WaitView view = WaitView::of("shmem_call", waits_for, 0);
        view.since = since;
        slot.waits.begin(view);
    }

    ControlPages pages() const { return pages_; }

private:
    static std::size_t bytes() { return ControlPages::bytes(kPes) + alignof(JobHeader); }
    static void* aligned(void* start) {
        std::size_t space = bytes();
        return std::align(alignof(JobHeader), ControlPages::bytes(kPes), start, space);
    }

    std::unique_ptr<void, decltype(&std::free)> memory_;
    ControlPages pages_;
};

} // namespace shm::launch

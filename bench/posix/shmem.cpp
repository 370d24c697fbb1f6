// SPDX-License-Identifier: Apache-2.0
// SHMEM: the sender puts straight into the receiver's symmetric heap.
#include <sys/mman.h>

#include "posix/column.hpp"

namespace shm::bench {

namespace {

class ShmemColumn : public Column {
public:
    ShmemColumn(Pair& pair, std::byte* heap_buffer, std::size_t bytes)
        : heap_buffer_(heap_buffer), bytes_(bytes), signal_(&pair.job().area().signal), peer_(pair.peer()),
          sends_(pair.sends()) {
        *signal_ = 0;
        pair.meet();
    }

    void forget_pages() override { madvise(shmem_ptr(heap_buffer_, peer_), bytes_, MADV_DONTNEED); }

    void send(const std::byte* source, std::size_t bytes) override {
        shmem_putmem_signal(heap_buffer_, source, bytes, signal_, ++sent_, SHMEM_SIGNAL_SET, peer_);
    }

    const std::byte* receive(std::size_t) override {
        shmem_signal_wait_until(signal_, SHMEM_CMP_GE, ++received_);
        return heap_buffer_;
    }

    void signal() override { shmemx_signal_event(kMeasuredEvent, peer_); }
    void await() override { shmemx_wait_event(kMeasuredEvent); }

    void round_trips(int count) override {
        for (int trip = 0; trip < count; ++trip) {
            if (sends_)
                shmemx_signal_event(kMeasuredEvent, peer_);
            shmemx_wait_event(kMeasuredEvent);
            if (!sends_)
                shmemx_signal_event(kMeasuredEvent, peer_);
        }
    }

private:
    std::byte* heap_buffer_; // symmetric
    std::size_t bytes_;      // of it
    std::uint64_t* signal_;  // symmetric
    int peer_;
    bool sends_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
};

} // namespace

std::unique_ptr<Column> make_shmem(Pair& pair, const Plan& plan, std::byte* heap_buffer) {
    return std::make_unique<ShmemColumn>(pair, heap_buffer, plan.buffer_bytes());
}

} // namespace shm::bench

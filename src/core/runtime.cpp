// SPDX-License-Identifier: Apache-2.0
#include "core/runtime.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "base/asymmetric_fence.hpp"
#include "base/cpus.hpp"
#include "base/log.hpp"
#include "core/node_file.hpp"
#include "core/window.hpp"

namespace shm {
namespace {

/// Makes the slot this process's own.
Result<void> claim_slot(PeSlot& slot, int pe) {
    Phase phase = slot.phase.load(std::memory_order_acquire);
    do {
        if (phase != Phase::absent && phase != Phase::finalized)
            return fail(
                "PE {} of this job is already process {}: does one PE start a second program that uses the "
                "library?",
                pe, slot.process.load(std::memory_order_relaxed));
        // acq_rel: what the process that had the slot before left there is visible, and this claim to others.
    } while (!slot.phase.compare_exchange_weak(phase, Phase::joined, std::memory_order_acq_rel));
    slot.process.store(::getpid(), std::memory_order_relaxed);
    return {};
}

} // namespace

Result<std::unique_ptr<Runtime>> Runtime::start(Seat seat, const Settings& settings, MapHeaps map_heaps) {
    auto control = map_control_pages(seat.node_file);
    if (!control)
        return control.error();
    int n_pes = control->header().n_pes;
    if (seat.pe < 0 || seat.pe >= n_pes)
        return fail("{}={} is not a PE of this job, which has {}", kJobPeVariable, seat.pe, n_pes);
    log::set_pe(seat.pe);
    PeSlot& slot = control->slot(seat.pe);
    if (auto claimed = claim_slot(slot, seat.pe); !claimed)
        return claimed.error();
    // Before anybody can know an address of this process's: see base/wake_up.hpp.
    slot.has_membarrier = asymmetric_fence::register_process();
    slot.symmetric_size = settings.symmetric_size;
    slot.usable_cpus = usable_cpus();
    if (seat.pin)
        if (auto pinned = pin_to_first_cpu(); !pinned)
            log::warn("{}", pinned.error().text());
    auto heaps = map_heaps(std::move(seat.node_file), *control, seat.pe, settings);
    if (!heaps)
        return heaps.error();
    std::unique_ptr<Runtime> runtime(new Runtime(seat.pe, *control, std::move(*heaps), settings));
    if (auto agreed = runtime->agree(settings); !agreed)
        return agreed.error();
    return runtime;
}

Runtime::Runtime(int my_pe, ControlPages control, MappedHeaps heaps, const Settings& settings)
    : heap_begin_(reinterpret_cast<std::uintptr_t>(heaps.own)), n_pes_(control.header().n_pes), my_pe_(my_pe),
      control_(control), heaps_(std::move(heaps)),
      waiter_(control.slot(my_pe_).wake_up, control.slot(my_pe_).waits, settings.spin_time),
      barrier_(
          my_pe_, n_pes_, control.header().central_barrier,
          [control](int pe) {
              PeSlot& slot = control.slot(pe);
              return Barrier::Member{&slot.barrier_flags, &slot.wake_up};
          },
          waiter_),
      vote_(control.header().votes, barrier_),
      heap_(*heaps_.memory, settings.symmetric_size, n_pes_, barrier_, vote_) {
    for (int pe = 0; pe < n_pes_; ++pe) {
        std::byte* there = pe == my_pe_ ? heaps_.own : heaps_.of_pe[static_cast<std::size_t>(pe)];
        peers_.push_back({there - heaps_.own, &control_.slot(pe)});
    }
}

/// Waits until all PEs have joined, and settles what depends on all of them.
Result<void> Runtime::agree(const Settings& settings) {
    barrier_.wait("shmem_init");
    bool all_registered = true;
    for (int pe = 0; pe < n_pes_; ++pe) {
        all_registered = all_registered && peer(pe).slot->has_membarrier;
        if (peer(pe).slot->symmetric_size != settings.symmetric_size)
            return fail(
                "SHMEM_SYMMETRIC_SIZE differs between PE {} and PE {}: it must be the same on all PEs",
                my_pe_, pe);
    }
    asymmetric_fence::set_all_registered(all_registered);
    bool crowded = n_pes_ > usable_cpus_of_node();
    waiter_.set_yield(crowded);
    barrier_.set_dissemination(!crowded);
    std::uint64_t capacity = heaps_.memory->capacity();
    if (my_pe_ == 0 && settings.symmetric_size != Settings::kNoCap && settings.symmetric_size > capacity)
        log::warn("SHMEM_SYMMETRIC_SIZE is more than this machine can hold: the heap of each PE is limited "
                  "to {} bytes",
                  capacity);
    // release: the launcher that sees it sees the slot complete.
    own_slot().phase.store(Phase::running, std::memory_order_release);
    return {};
}

/// The CPUs that the PEs together may use: each may be bound to some of them.
int Runtime::usable_cpus_of_node() const {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const Peer& peer : peers_)
        CPU_OR(&all, &all, &peer.slot->usable_cpus);
    return std::max(1, std::min(CPU_COUNT(&all), cpu_quota()));
}

Runtime::~Runtime() {
    PeSlot& slot = own_slot();
    if (slot.phase.load(std::memory_order_relaxed) == Phase::running) {
        barrier_.wait("shmem_finalize");
        // Nobody can reach this PE's memory any more; the next program in this seat begins with a clean one.
        heaps_.memory->give_back({0, heaps_.memory->capacity()});
        slot.events.reset();
        // release: pairs with the acquire of who claims the slot next.
        slot.phase.store(Phase::finalized, std::memory_order_release);
    }
    heaps_.memory.reset();
    unmap_control_pages(control_);
    asymmetric_fence::set_all_registered(false); // the PEs of the next job are not known yet
}

Error Runtime::explain_pe(long long pe, std::string_view argument) const {
    return fail("{} = {} is out of range: this job has PEs 0 to {}", argument, pe, n_pes_ - 1);
}

Error Runtime::explain_misuse(std::string_view argument, const void* object, std::size_t bytes,
                              int pe) const {
    if (!valid_pe(pe))
        return explain_pe(pe);
    if (offset_of(object) < heap_extent_)
        return fail(
            "{} = {} and the {} bytes from there reach past the last symmetric object, which ends at {}",
            argument, object, bytes, address_of(heap_extent_));
    return fail("{} = {} is not a symmetric address: it must lie in memory from shmem_malloc, shmem_calloc, "
                "shmem_align or shmem_realloc (in C++: shmem::alloc or shmem::symmetric)",
                argument, object);
}

Result<void*> Runtime::allocate(std::size_t bytes, std::size_t alignment) {
    if (alignment > kWindowAlignment) {
        barrier_.wait("shmem_align"); // as after any other answer
        return fail("no symmetric memory for {} bytes", bytes)
            .because(fail("it can be aligned to {} bytes at most, not to {}", kWindowAlignment, alignment));
    }
    auto offset = heap_.allocate(bytes, alignment);
    if (!offset)
        return fail("no symmetric memory for {} bytes", bytes).because(heap_.shortage());
    heap_extent_ = heap_.extent();
    return address_of(*offset);
}

Result<void*> Runtime::reallocate(void* object, std::size_t bytes) {
    std::uint64_t offset = offset_of(object);
    std::uint64_t kept = std::min<std::uint64_t>(bytes, *heap_.size_of(offset));
    if (heap_.resize(offset, bytes)) {
        heap_extent_ = heap_.extent();
        return object;
    }
    auto moved = allocate(bytes, 1);
    if (moved) {
        std::memcpy(*moved, object, kept);
        free(object); // begins with a barrier: on return all PEs have copied
    }
    return moved;
}

bool Runtime::free(void* object) {
    bool freed = heap_.free(offset_of(object));
    heap_extent_ = heap_.extent();
    return freed;
}

bool Runtime::begins_object(const void* object) const {
    return heap_.size_of(offset_of(object)).has_value();
}

} // namespace shm

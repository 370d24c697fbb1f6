// SPDX-License-Identifier: Apache-2.0
#include "core/runtime.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <unistd.h>

#include "base/asymmetric_fence.hpp"
#include "base/cpus.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/words.hpp"
#include "core/by_pe.hpp"
#include "core/node_file.hpp"
#include "core/window.hpp"

namespace shm {
namespace {

/// Makes the slot this process's own.
Result<void> claim_slot(PeSlot& slot, int pe) {
    Phase phase = slot.phase.load(std::memory_order_acquire);
    do {
        if (phase != Phase::absent && phase != Phase::finalized)
            return fail("PE {} of this job is already process {}: does it start a second program that uses "
                        "the library? "
                        "To be a job of its own, such a program must find no SHMEM_JOB_ variables",
                        pe, slot.process.load(std::memory_order_relaxed));
        // acq_rel: what the process that had the slot before left there is visible, and this claim to others.
    } while (!slot.phase.compare_exchange_weak(phase, Phase::joined, std::memory_order_acq_rel));
    slot.process_namespace = own_pid_namespace();
    // release: who sees the process knows its namespace.
    slot.process.store(::getpid(), std::memory_order_release);
    return {};
}

const char* bound_text(HeapBound bound) {
    switch (bound) {
    case HeapBound::addresses:
        return "the limit on addresses, ulimit -v";
    case HeapBound::files:
        return "the limit on file size, ulimit -f";
    case HeapBound::machine:
        break;
    }
    return "the memory of this machine";
}

std::string cap_text(std::uint64_t bytes) {
    return bytes == Settings::kNoCap ? "not set" : bytes_text(bytes);
}

Error explain_range(std::string_view argument, const void* begin, std::uint64_t bytes, std::string_view what,
                    const void* object, std::uint64_t object_bytes) {
    auto offset = reinterpret_cast<std::uintptr_t>(begin) - reinterpret_cast<std::uintptr_t>(object);
    return fail("{} = {} and the {} from there reach {} past the end of the {} of {} that begins at {}",
                argument, begin, bytes_text(bytes), bytes_text(bytes - (object_bytes - offset)), what,
                bytes_text(object_bytes), object);
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
    slot.check = settings.check;
    slot.usable_cpus = usable_cpus();
    if (seat.pin)
        if (auto pinned = pin_to_first_cpu(); !pinned)
            log::warn("{}", pinned.error().text());
    std::unique_ptr<Runtime> runtime(new Runtime(seat.pe, *control, settings));
    if (auto joined = runtime->join(std::move(seat.node_file), settings, map_heaps); !joined) {
        if (joined.error().is_alike_on_all_pes())
            slot.fail("shmem_init: " + joined.error().text());
        return joined.error();
    }
    return runtime;
}

Runtime::Runtime(int my_pe, ControlPages control, const Settings& settings)
    : n_pes_(control.header().n_pes), my_pe_(my_pe), control_(control),
      waiter_(control.slot(my_pe_).wake_up, control.slot(my_pe_).waits, settings.spin_time),
      barrier_(
          my_pe_, n_pes_, control.header().central_barrier,
          [control](int pe) {
              PeSlot& slot = control.slot(pe);
              return Barrier::Member{&slot.barrier_flags, &slot.wake_up};
          },
          waiter_),
      vote_(control.header().votes, barrier_),
      agreement_(
          my_pe_, n_pes_, [control](int pe) -> CallRecords& { return control.slot(pe).calls; }, barrier_) {
    for (int pe = 0; pe < n_pes_; ++pe)
        peers_.push_back({0, &control_.slot(pe)});
}

/// Waits until all PEs have joined, and settles what depends on all of them.
Result<void> Runtime::join(File node_file, const Settings& settings, MapHeaps map_heaps) {
    barrier_.wait("shmem_init");
    if (auto agreed = agree(); !agreed)
        return agreed;
    if (auto opened = open_memory(std::move(node_file), settings, map_heaps); !opened)
        return opened;
    std::uint64_t capacity = heaps_.memory->capacity();
    if (my_pe_ == 0 && settings.symmetric_size != Settings::kNoCap && settings.symmetric_size > capacity)
        log::warn(
            "SHMEM_SYMMETRIC_SIZE is {}, more than this machine can hold: the heap of each PE is limited "
            "to {}",
            bytes_text(settings.symmetric_size), bytes_text(capacity));
    // Nobody reaches into a PE before it is ready. release: the launcher that sees it sees the slot complete.
    barrier_.wait("shmem_init");
    own_slot().phase.store(Phase::running, std::memory_order_release);
    return {};
}

Result<void> Runtime::agree() {
    bool all_registered = true;
    std::map<std::uint64_t, std::vector<int>> sizes;
    std::map<std::uint32_t, std::vector<int>> checks;
    for (int pe = 0; pe < n_pes_; ++pe) {
        all_registered = all_registered && peer(pe).slot->has_membarrier;
        sizes[peer(pe).slot->symmetric_size].push_back(pe);
        checks[peer(pe).slot->check].push_back(pe);
    }
    if (sizes.size() > 1)
        return fail("SHMEM_SYMMETRIC_SIZE differs between PEs: {}. It must be the same on all of them",
                    by_pe(sizes, cap_text))
            .alike_on_all_pes();
    if (checks.size() > 1)
        return fail("SHMEM_CHECK differs between PEs: {}. It must be the same on all of them",
                    by_pe(checks, [](std::uint32_t check) { return format_text("{}", check); }))
            .alike_on_all_pes();
    asymmetric_fence::set_all_registered(all_registered);
    bool crowded = n_pes_ > usable_cpus_of_node();
    waiter_.set_yield(crowded);
    barrier_.set_dissemination(!crowded);
    return {};
}

Result<void> Runtime::open_memory(File node_file, const Settings& settings, MapHeaps map_heaps) {
    JobHeader& header = control_.header();
    auto window = agree_on_window(window_bytes(header.layout.heap_stride, n_pes_), vote_);
    if (!window)
        return fail("cannot map the heaps of {} PEs", n_pes_).because(window.error());
    if (my_pe_ == 0 && window->common) // relaxed: shown to people
        header.window_base.store(reinterpret_cast<std::uintptr_t>(window->begin), std::memory_order_relaxed);
    auto heaps = map_heaps(std::move(node_file), header, my_pe_, *window, settings);
    if (!heaps)
        return heaps.error();
    heaps_ = std::move(*heaps);
    heap_begin_ = reinterpret_cast<std::uintptr_t>(heaps_.own);
    for (int pe = 0; pe < n_pes_; ++pe)
        peer(pe).delta =
            (pe == my_pe_ ? heaps_.own : heaps_.of_pe[static_cast<std::size_t>(pe)]) - heaps_.own;
    auto lines = ObjectLines::create(std::min(settings.symmetric_size, heaps_.memory->capacity()));
    if (!lines)
        return fail("cannot keep book of the heap").because(lines.error());
    heap_.emplace(*heaps_.memory,
                  SymmetricHeap::Form{settings.symmetric_size, bound_text(header.layout.bound), heap_begin_,
                                      settings.check},
                  n_pes_, agreement_, vote_, std::move(*lines));
    shared_buffers_.emplace(
        heaps_.region.get(), header.shared_buffers, my_pe_,
        [this](int pe) {
            PeSlot& slot = *peer(pe).slot;
            return DomainCaller::Member{&slot.domain_call, &slot.wake_up};
        },
        waiter_);
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
    Phase phase = slot.phase.load(std::memory_order_relaxed);
    if (phase == Phase::running || phase == Phase::exited) { // or: finalized by an exit handler, in the end
        barrier_.wait("shmem_finalize");
        // Nobody can reach this PE's memory any more; the next program in this seat begins with a clean one.
        heaps_.memory->give_back({0, heaps_.memory->capacity()});
        shared_buffers_->clear();
        slot.events.reset();
        // release: pairs with the acquire of who claims the slot next.
        slot.phase.store(Phase::finalized, std::memory_order_release);
    }
    heaps_ = {};
    unmap_control_pages(control_);
    asymmetric_fence::set_all_registered(false); // the PEs of the next job are not known yet
}

void Runtime::announce_global_exit(int status) {
    std::uint64_t none = 0;
    // release: who sees the word sees what this PE did before.
    control_.header().global_exit.compare_exchange_strong(
        none, GlobalExit{my_pe_, status}.word(), std::memory_order_release, std::memory_order_relaxed);
}

bool Runtime::exit_unfinished() {
    // release: the launcher that sees it sees the slot complete.
    own_slot().phase.store(Phase::exited, std::memory_order_release);
    return control_.header().global_exit.load(std::memory_order_relaxed) == 0;
}

Error Runtime::explain_pe(long long pe, std::string_view argument) const {
    return fail("{} = {} is out of range: this job has PEs 0 to {}", argument, pe, n_pes_ - 1);
}

std::optional<int> Runtime::pe_whose_heap_holds(const void* object) const {
    for (int pe = 0; pe < n_pes_; ++pe) {
        auto offset = reinterpret_cast<std::uintptr_t>(object) -
                      reinterpret_cast<std::uintptr_t>(heaps_.of_pe[static_cast<std::size_t>(pe)]);
        if (offset < heaps_.memory->capacity())
            return pe;
    }
    return std::nullopt;
}

bool Runtime::locate_shared(const void* object, std::size_t bytes, int pe, Target& target) {
    if (!valid_pe(pe))
        return false;
    const SharedBuffer* buffer = shared_buffers_->find(object);
    if (!buffer || !buffer->domain.contains(pe))
        return false;
    auto* there = static_cast<std::byte*>(const_cast<void*>(object));
    auto offset = static_cast<std::uint64_t>(there - buffer->address);
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
        return false;
    target = {there, &peer(pe), kSharedPosition + shared_buffers_->offset_of(object), buffer};
    return true;
}

std::optional<Extent> Runtime::object_around(const void* word, Position position) const {
    if (position < kSharedPosition)
        return heap_->object_around(position);
    const SharedBuffer* buffer = shared_buffers_->find(word);
    if (!buffer)
        return std::nullopt;
    Position begin = kSharedPosition + buffer->extent.begin;
    return Extent{begin, begin + buffer->bytes};
}

Error Runtime::explain_shared(std::string_view argument, const void* object, std::size_t bytes,
                              int pe) const {
    const SharedBuffer* buffer = shared_buffers_->find(object);
    if (!buffer)
        return fail("{} = {} lies in no shared buffer of this PE: it was freed, or belongs to a share domain "
                    "without PE {}",
                    argument, object, my_pe_);
    if (!buffer->domain.contains(pe))
        return fail(
            "{} = {} lies in the shared buffer of the share domain {}, which PE {} does not belong to",
            argument, object, buffer->domain.text(), pe);
    return explain_range(argument, object, bytes, "shared buffer", buffer->address, buffer->bytes);
}

Error Runtime::explain_misuse(std::string_view argument, const void* object, std::size_t bytes,
                              int pe) const {
    if (!valid_pe(pe))
        return explain_pe(pe);
    if (!object)
        return fail(
            "{} = NULL is not a symmetric address: did shmem_malloc return NULL, or was it not called?",
            argument);
    std::uint64_t offset = offset_of(object);
    if (auto around = heap_->object_around(offset))
        return explain_range(argument, object, bytes, "symmetric object", address_of(around->begin),
                             around->bytes());
    if (auto freed = heap_->freed_object_around(offset))
        return fail("{} = {} lies in the symmetric object of {} that began at {} and has been freed",
                    argument, object, bytes_text(freed->bytes()), address_of(freed->begin));
    if (offset < heaps_.memory->capacity())
        return fail("{} = {} lies in the symmetric heap, but in no object: it was freed, or never allocated "
                    "(SHMEM_CHECK=1 remembers what was freed)",
                    argument, object);
    if (shared_buffers_->in_region(object))
        return explain_shared(argument, object, bytes, pe);
    if (auto owner = pe_whose_heap_holds(object))
        return fail("{} = {} is an address in the heap of PE {}, as shmem_ptr gives it: pass the address of "
                    "this PE's own object instead (and {} as the PE, if the call takes one)",
                    argument, object, *owner, *owner);
    return fail(
        "{} = {} is not a symmetric address: it must lie in memory from shmem_malloc, shmem_calloc, "
        "shmem_align, shmem_realloc or shmemx_alloc_shared (in C++: shmem::alloc or shmem::symmetric)",
        argument, object);
}

Error Runtime::explain_no_object(std::string_view argument, const void* object) const {
    std::uint64_t offset = offset_of(object);
    if (auto around = heap_->object_around(offset))
        return fail(
            "{} = {} is not the beginning of a symmetric object: the one of {} around it begins at {}",
            argument, object, bytes_text(around->bytes()), address_of(around->begin));
    if (auto freed = heap_->freed_object_around(offset))
        return fail("{} = {} has been freed already: it was a symmetric object of {}", argument, object,
                    bytes_text(freed->bytes()));
    if (shared_buffers_->in_region(object))
        return fail("{} = {} lies in the region of shared buffers: shmemx_free_shared frees those", argument,
                    object);
    if (offset < heaps_.memory->capacity())
        return fail(
            "{} = {} is not the beginning of a symmetric object: it has been freed already, or was never "
            "allocated (SHMEM_CHECK=1 tells which)",
            argument, object);
    return fail("{} = {} is not memory of the symmetric heap: what malloc or new gave goes back to free or "
                "delete",
                argument, object);
}

Result<Runtime::Allocation> Runtime::allocate(const char* call, std::size_t bytes, std::size_t alignment) {
    auto offset = heap_->allocate(call, bytes, alignment);
    if (!offset)
        return offset.error();
    if (*offset)
        return Allocation(address_of(**offset));
    return Allocation(fail("no symmetric memory for {} on each of {} PEs", bytes_text(bytes), n_pes_)
                          .because(heap_->shortage()));
}

Result<Runtime::Allocation> Runtime::reallocate(const char* call, void* object, std::size_t bytes) {
    std::uint64_t offset = offset_of(object);
    std::uint64_t kept = std::min<std::uint64_t>(bytes, *heap_->size_of(offset));
    auto resized = heap_->resize(call, offset, bytes);
    if (!resized)
        return resized.error();
    if (*resized)
        return Allocation(object);
    auto moved = allocate(call, bytes, 1);
    if (!moved || !*moved)
        return moved;
    std::memcpy(**moved, object, kept);
    // Begins with a barrier: on return all PEs have copied.
    if (auto freed = free(call, object); !freed)
        return freed.error();
    return moved;
}

Result<void> Runtime::free(const char* call, void* object) {
    return heap_->free(call, offset_of(object));
}

bool Runtime::begins_object(const void* object) const {
    return heap_->size_of(offset_of(object)).has_value();
}

} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// Runtime: this process as a PE of a job, from joining to leaving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/settings.hpp"
#include "base/wait.hpp"
#include "core/backend.hpp"
#include "core/barrier.hpp"
#include "core/bootstrap.hpp"
#include "core/heap.hpp"
#include "core/job.hpp"
#include "core/peer.hpp"
#include "core/shared_buffers.hpp"
#include "core/window.hpp"

namespace shm {

/// The heaps of the node as a backend maps them into this process.
struct MappedHeaps {
    std::unique_ptr<HeapMemory> memory;
    std::byte* own = nullptr;
    std::vector<std::byte*> of_pe;
    std::unique_ptr<SharedRegion> region; // null where the window is not common to all PEs
};

/// Maps the heaps of a node for one PE over a reserved window, which it takes; a backend provides it.
using MapHeaps = Result<MappedHeaps> (*)(File node_file, const JobHeader& header, int my_pe,
                                         const Window& window, const Settings& settings);

class Runtime {
public:
    /// Joins the job and waits for all its PEs. Collective.
    static Result<std::unique_ptr<Runtime>> start(Seat seat, const Settings& settings, MapHeaps map_heaps);
    /// Waits for all PEs and leaves the job. Collective.
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    int my_pe() const { return my_pe_; }
    int n_pes() const { return n_pes_; }
    bool valid_pe(int pe) const { return static_cast<unsigned>(pe) < static_cast<unsigned>(n_pes_); }
    Peer& peer(int pe) { return peers_[static_cast<std::size_t>(pe)]; }
    PeSlot& own_slot() { return *peer(my_pe_).slot; }

    /// Writes down that this PE ends the job with `status`; only the first PE to do so counts.
    void announce_global_exit(int status);
    /// This process exits without having left the job. False when all is in order, as after a global exit.
    bool exit_unfinished();

    /// Finds `bytes` bytes at the symmetric address `object`, or at an address in a shared buffer, in PE
    /// `pe`. One check, whether they lie in one symmetric object, and one add. False for misuse: then
    /// explain_misuse() has the words.
    bool locate(const void* object, std::size_t bytes, int pe, Target& target) {
        std::uintptr_t offset = offset_of(object);
        if (!valid_pe(pe) || !heap_->holds(offset, bytes)) [[unlikely]]
            return locate_shared(object, bytes, pe, target);
        Peer& there = peer(pe);
        target = {reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(object) + there.delta),
                  &there, offset};
        return true;
    }

    /// For those who locate by themselves in the heap: where it begins, and which bytes belong to objects.
    std::uintptr_t heap_begin() const { return heap_begin_; }
    const ObjectLines& heap_lines() const { return heap_->lines(); }

    /// Why locate() failed; `argument` is the name of the address in the public function.
    Error explain_misuse(std::string_view argument, const void* object, std::size_t bytes, int pe) const;
    Error explain_pe(long long pe, std::string_view argument = "pe") const;

    /// What a collective allocation gives: an object, or why there is none on any PE.
    using Allocation = Result<void*>;

    // Collective calls on the heap under the public function's name, as in core/heap.hpp. An error when the
    // PEs make different calls.
    Result<Allocation> allocate(const char* call, std::size_t bytes, std::size_t alignment);
    /// Moves the object if need be, keeping what fits.
    Result<Allocation> reallocate(const char* call, void* object, std::size_t bytes);
    Result<void> free(const char* call, void* object);
    bool begins_object(const void* object) const;
    /// Why begins_object() is false.
    Error explain_no_object(std::string_view argument, const void* object) const;

    SharedBuffers& shared_buffers() { return *shared_buffers_; }

    /// The allocation that a word lies in, in positions; nothing where there is none. For any thread, at any
    /// time.
    std::optional<Extent> object_around(const void* word, Position position) const;

    Waiter& waiter() { return waiter_; }
    Barrier& barrier() { return barrier_; }

private:
    Runtime(int my_pe, ControlPages control, const Settings& settings);
    Result<void> join(File node_file, const Settings& settings, MapHeaps map_heaps);
    Result<void> agree();
    Result<void> open_memory(File node_file, const Settings& settings, MapHeaps map_heaps);
    bool locate_shared(const void* object, std::size_t bytes, int pe, Target& target);
    Error explain_shared(std::string_view argument, const void* object, std::size_t bytes, int pe) const;
    int usable_cpus_of_node() const;
    std::optional<int> pe_whose_heap_holds(const void* object) const;
    std::uint64_t offset_of(const void* object) const {
        return reinterpret_cast<std::uintptr_t>(object) - heap_begin_;
    }
    void* address_of(std::uint64_t offset) const { return reinterpret_cast<void*>(heap_begin_ + offset); }

    // What locate() needs comes first.
    std::uintptr_t heap_begin_ = 0;
    int n_pes_;
    int my_pe_;
    std::vector<Peer> peers_;

    ControlPages control_;
    MappedHeaps heaps_;
    Waiter waiter_;
    Barrier barrier_;
    Vote vote_;
    Agreement agreement_;
    // From open_memory() on.
    std::optional<SymmetricHeap> heap_;
    std::optional<SharedBuffers> shared_buffers_;
};

} // namespace shm

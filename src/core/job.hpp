// SPDX-License-Identifier: Apache-2.0
// What the processes of a job share beside the heaps: the control pages at the start of the node file.
//
// The launcher makes the file, all zero but for the header, before the first PE starts; a PE finds it through
// the variables below. Layout of the file:
//
//     JobHeader | PeSlot of PE 0 | PeSlot of PE 1 | ... | heap of PE 0 | heap of PE 1 | ... | shared buffers
//                                                       ^ layout.control_bytes, then each layout.heap_stride
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include <sched.h>

#include "base/wait_record.hpp"
#include "base/wake_up.hpp"
#include "core/agreement.hpp"
#include "core/barrier.hpp"
#include "core/domain_call.hpp"
#include "core/event.hpp"
#include "core/shared_table.hpp"

namespace shm {

// The launcher sets all of these for each PE, or none is set and the program is a job of one PE.
inline constexpr char kJobPeVariable[] = "SHMEM_JOB_PE";     // number of this PE
inline constexpr char kJobFileVariable[] = "SHMEM_JOB_FILE"; // descriptor of the node file
inline constexpr char kJobIdVariable[] = "SHMEM_JOB_ID";     // 16 hexadecimal digits, as in the header
inline constexpr char kJobLauncherVariable[] = "SHMEM_JOB_LAUNCHER"; // process id of the launcher
inline constexpr char kJobLifeVariable[] =
    "SHMEM_JOB_LIFE"; // read end of a pipe that only the launcher can write
inline constexpr char kJobBindVariable[] = "SHMEM_JOB_BIND"; // "core", "numa" or "none"

inline constexpr std::uint64_t kJobMagic = 0x424f4a4d454d4853; // "SHMEMJOB"
inline constexpr std::uint32_t kJobVersion = 3;

/// What keeps the heaps from being larger.
enum class HeapBound : std::uint64_t { machine, addresses, files };

/// Where things lie in the node file, in bytes.
struct NodeLayout {
    std::uint64_t control_bytes; // header and slots, a multiple of 2 MiB
    std::uint64_t heap_stride;   // room for one PE's heap, or for all shared buffers, a multiple of 2 MiB
    HeapBound bound = HeapBound::machine;

    std::uint64_t heap_offset(int pe) const {
        return control_bytes + static_cast<std::uint64_t>(pe) * heap_stride;
    }
    std::uint64_t shared_offset(int n_pes) const { return heap_offset(n_pes); }
    std::uint64_t file_bytes(int n_pes) const { return shared_offset(n_pes) + heap_stride; }
};

/// shmem_global_exit, in one word of the header.
struct GlobalExit {
    int pe;
    int status;

    std::uint64_t word() const {
        return std::uint64_t{1} << 63 | std::uint64_t{static_cast<std::uint32_t>(pe)} << 32 |
               static_cast<std::uint32_t>(status);
    }
    static std::optional<GlobalExit> from(std::uint64_t word) {
        if (word == 0)
            return std::nullopt;
        return GlobalExit{static_cast<int>(word >> 32 & 0x7fffffff), static_cast<int>(word & 0xffffffff)};
    }
};

struct alignas(64) JobHeader {
    std::uint64_t magic;
    std::uint32_t version;
    std::int32_t n_pes;
    std::uint64_t job_id;
    NodeLayout layout;
    std::atomic<std::uint64_t> global_exit;             // GlobalExit of the first PE to call it; 0: none has
    alignas(64) std::atomic<std::uint64_t> window_base; // where all PEs have the window; 0: not the same
    CentralBarrier central_barrier;
    VoteCounters votes;
    SharedTable shared_buffers;
};

/// How far a PE has come; written by the PE, read by the launcher.
enum class Phase : std::uint32_t {
    absent,
    joined, // has called shmem_init
    running,
    finalized,
    failed, // by a mistake
    exited  // by exit(), without shmem_finalize
};

/// One PE's part of the control pages. Each member that others poll or write has cache lines of its own.
struct alignas(64) PeSlot {
    std::atomic<Phase> phase;
    std::atomic<std::int32_t> process; // the PE's process id, which may be a descendant of what was launched
    std::uint64_t process_namespace;   // the PID namespace in which `process` counts; 0: not known
    std::uint64_t symmetric_size;      // its cap on the heap, compared at start
    std::uint32_t check;               // SHMEM_CHECK, likewise: it decides where objects lie
    std::uint32_t has_membarrier;
    cpu_set_t usable_cpus;
    char failure[512]; // why phase is `failed`, one line for the launcher to tell; empty: the PE has told it
    WaitRecords waits; // of the threads of the PE that sleep
    WakeUp wake_up;
    DisseminationFlags barrier_flags;
    CallRecords calls;
    DomainRecord domain_call;
    EventCounters events;

    /// The PE ends itself. With a reason the launcher tells it, once for all PEs that have found the same.
    void fail(std::string_view reason) {
        std::size_t length = std::min(reason.size(), sizeof failure - 1);
        std::memcpy(failure, reason.data(), length);
        failure[length] = 0;
        // release: who sees the phase sees the text.
        phase.store(Phase::failed, std::memory_order_release);
    }
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(offsetof(JobHeader, window_base) == 64);
static_assert(sizeof(JobHeader) % 64 == 0 && sizeof(PeSlot) % 64 == 0);
static_assert(offsetof(PeSlot, wake_up) % 64 == 0 && offsetof(PeSlot, events) % 64 == 0);

/// The control pages as mapped by one process.
class ControlPages {
public:
    explicit ControlPages(void* start) : start_(static_cast<std::byte*>(start)) {}

    JobHeader& header() const { return *reinterpret_cast<JobHeader*>(start_); }
    PeSlot& slot(int pe) const { return reinterpret_cast<PeSlot*>(start_ + sizeof(JobHeader))[pe]; }
    static std::uint64_t bytes(int n_pes) {
        return sizeof(JobHeader) + static_cast<std::uint64_t>(n_pes) * sizeof(PeSlot);
    }

private:
    std::byte* start_;
};

} // namespace shm

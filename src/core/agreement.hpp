// SPDX-License-Identifier: Apache-2.0
// Agreement: PEs that make a collective call find out whether all of them make the same one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "core/barrier.hpp"

namespace shm {

/// What one PE says of its call, in shared memory; all bytes zero is a valid initial state. Plain words: the
/// barrier of the call lies between their writer and their readers.
struct alignas(64) CallRecord {
    static constexpr std::size_t kArguments = 2;

    std::uint64_t round; // of the barrier that the call goes through
    char call[32];
    std::array<std::uint64_t, kArguments> arguments;
    std::uint64_t able;
    std::uint64_t left; // of this PE's tightest limit
    std::uint64_t limit;
    char limit_name[240];
};

/// One per PE. Two in turn: a PE that is already in the next call leaves this one's to those who still read.
struct CallRecords {
    CallRecord in_turn[2];
};

/// A collective call as one PE makes it.
struct CollectiveCall {
    struct Argument {
        const char* name = nullptr; // null: the call has no such argument
        std::uint64_t value = 0;    // must be the same on all PEs
        std::uint64_t base = 0;     // not 0: the value is an offset from this address
    };
    const char* function;
    std::array<Argument, CallRecord::kArguments> arguments{};
    bool able = true;           // whether this PE can do it ...
    MemoryLimit left{0, 0, ""}; // ... and if not, how much memory is left to it
};

/// One PE's view. Collective; one thread at a time.
class Agreement {
public:
    /// Where the records of a PE are.
    using RecordsOf = std::function<CallRecords&(int pe)>;

    Agreement(int my_pe, int n_pes, RecordsOf records_of, Barrier& barrier)
        : my_pe_(my_pe), n_pes_(n_pes), records_of_(std::move(records_of)), barrier_(barrier) {}

    /// A barrier. An error, alike on all PEs, when they do not make the same call with the same arguments;
    /// else whether all are able to do it. If not, shortage() is what the first PE that is not has left.
    Result<bool> meet(const CollectiveCall& mine);

    struct Shortage {
        int pe;
        MemoryLimit left;
    };
    const Shortage& shortage() const { return shortage_; }

private:
    const CallRecord& record(int pe, std::uint64_t round) const { return records_of_(pe).in_turn[round % 2]; }
    void publish(const CollectiveCall& mine, std::uint64_t round);
    Result<void> compare(const CollectiveCall& mine, std::uint64_t round) const;
    Error explain_other_calls(std::uint64_t round) const;
    Error explain_argument(const CollectiveCall& mine, std::uint64_t round, std::size_t argument) const;

    int my_pe_;
    int n_pes_;
    RecordsOf records_of_;
    Barrier& barrier_;
    Shortage shortage_{};
};

} // namespace shm

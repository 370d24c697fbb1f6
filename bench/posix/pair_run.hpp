// SPDX-License-Identifier: Apache-2.0
// All measurements between the two PEs of a pair, the columns in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "measure/clock.hpp"
#include "posix/column.hpp"
#include "posix/limit.hpp"
#include "posix/record.hpp"
#include "posix/segment.hpp"
#include "posix/tuned_search.hpp"
#include "progress.hpp"

namespace shm::bench {

/// A synchronisation, measured between two probes of the raw hand-off.
struct ProbedSample {
    RowId row;
    ColumnId column;
    double before; // nanoseconds; so are the others
    double value;
    double after;
};

class PairRun {
public:
    /// Both PEs of the pair make one at once. `heap_buffer` is symmetric and holds plan.buffer_bytes().
    PairRun(Pair& pair, const Plan& plan, std::byte* heap_buffer, Progress& progress);

    /// Both call it; the sender's record is complete. Without `known_ring` it searches for the ring's
    /// settings.
    PairRecord run(const std::optional<RingSearchResult>& known_ring);

    /// How many steps of the progress bar a run makes.
    static int steps(const Plan& plan, bool searches);

private:
    void settle_ring(const std::optional<RingSearchResult>& known_ring);
    void large_round(int round);
    void large_transfer(ColumnId id, RowId row);
    void large_copies();
    void add_cpu_shares(ColumnId id, const CpuTime& start, const CpuTime& end, double wall);
    void small_round();
    void latency(RowId row, std::size_t bytes, int iterations, ColumnId id);
    void synchronisations();
    void probed(RowId row, ColumnId id, const std::function<void(int)>& round_trips);
    void settle_synchronisations();
    void set_aside(const ProbedSample& sample);
    void restore_empty_series();
    void small_puts();
    double time_round_trips(int count, const std::function<void(int)>& round_trips);
    double time_hand_off();
    double probe_hand_off();
    void measure_small_again_if_needed();

    std::uint64_t next_seed();
    void check(bool right, const char* what, ColumnId id);
    /// Records a sample, on the PE that keeps them.
    void add(RowId row, ColumnId id, double value);

    Pair& pair_;
    const Plan& plan_;
    std::byte* heap_buffer_;
    Progress& progress_;
    CpuClock cpu_clock_;
    PrivateBuffer source_;
    PrivateBuffer destination_;
    std::unique_ptr<Column> article_;
    Segment ring_segment_;
    std::unique_ptr<TunedColumn> tuned_; // over that segment
    std::unique_ptr<Column> shmem_;
    Limit limit_;
    Column* columns_[kColumns]; // null: not measured here
    std::uint64_t transfers_ = 0;
    std::vector<ProbedSample> probed_;
    PairRecord record_{};
};

} // namespace shm::bench

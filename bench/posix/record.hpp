// SPDX-License-Identifier: Apache-2.0
// What a run of the comparison yields: samples by row and column, and the checks of what arrived.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure/samples.hpp"
#include "posix/tuned.hpp"

namespace shm::bench {

enum ColumnId { kArticle, kTuned, kShmem, kLimit };
inline constexpr int kColumns = kLimit + 1;

enum RowId {
    kAllocation,      // milliseconds per GiB
    kLatency8Bytes,   // nanoseconds, one way; so are the next two
    kLatency4KiB,     //
    kLatency1MiB,     //
    kTransfer,        // nanoseconds; the first through a mapping
    kTransferAgain,   // likewise; another one through it
    kCpuThread,       // share of the wall time; so are the next two
    kCpuProcess,      //
    kCpuAll,          //
    kSynchronisation, // nanoseconds, one way
    kBarrier,         // nanoseconds
    kPut8Bytes        // nanoseconds
};
inline constexpr int kRows = kPut8Bytes + 1;

/// Where the copies of the limit go.
enum CopyTarget { kToPrivate, kToHeap };
inline constexpr int kCopyTargets = kToHeap + 1;

inline constexpr int kMaxCopyKinds = 4;
inline constexpr int kMostSamplesPerRound = 64; // of one series, with all that is measured again

/// All samples: one series per row and column, and the time in nanoseconds of each kind of single-thread
/// copy.
class Measurements {
public:
    Samples& at(RowId row, ColumnId column) { return series_[index(row, column)]; }
    const Samples& at(RowId row, ColumnId column) const { return series_[index(row, column)]; }
    /// What was measured while the machine was not as usual: kept for who wants to see it, in no median.
    Samples& set_aside(RowId row, ColumnId column) { return series_[kSetAside + index(row, column)]; }
    const Samples& set_aside(RowId row, ColumnId column) const {
        return series_[kSetAside + index(row, column)];
    }
    Samples& copy(int kind, CopyTarget target) { return series_[copy_index(kind, target)]; }
    const Samples& copy(int kind, CopyTarget target) const { return series_[copy_index(kind, target)]; }

    /// Moves all samples there.
    void set_all_aside(RowId row, ColumnId column);

    /// Adds to each series the median of the same series of `other`; what is set aside there is left out.
    void add_medians(const Measurements& other);

    /// All samples as one list of numbers, and back.
    std::vector<double> pack() const;
    static Measurements unpack(const double* numbers);
    /// The most numbers that pack() gives for this many rounds.
    static std::size_t packed_size(int rounds);

private:
    static int index(int row, int column) { return row * kColumns + column; }
    static int copy_index(int kind, int target) { return kRows * kColumns + kind * kCopyTargets + target; }

    static constexpr int kSetAside = kRows * kColumns + kMaxCopyKinds * kCopyTargets;
    static constexpr int kSeries = kSetAside + kRows * kColumns;
    std::vector<Samples> series_ = std::vector<Samples>(kSeries);
};

/// The figures of a pair beside its samples; plain data, sent from PE to PE.
struct PairOutcome {
    int sender;
    int receiver;
    int transfers_checked;
    int transfers_wrong;
    RingSettings ring;              // that the tuned column used
    double ring_gb_s;               // of the search's last stage
    double hand_off_before;         // nanoseconds; probed before the first
    double hand_off_after;          // and after the last round
    int synchronisations;           // measured
    int synchronisations_set_aside; // of them, because the hand-off was unusual before or after
    bool measured_again;            // the latencies, because the hand-off had changed
    char first_wrong[96];           // names the first transfer that brought wrong data
};

struct PairRecord {
    PairOutcome outcome;
    Measurements samples;
};

/// Bandwidth in 10^9 bytes per second of `bytes` in `nanoseconds`.
inline double gb_per_s(double bytes, double nanoseconds) {
    return bytes / nanoseconds;
}

/// The fastest of the single-thread copies.
struct BestCopy {
    int kind;
    CopyTarget target;
    double nanoseconds; // median
};
BestCopy best_copy(const Measurements& samples);

} // namespace shm::bench

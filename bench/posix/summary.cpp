// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "posix/report.hpp"

namespace shm::bench {

namespace {

using Figure = Summary::Figure;

Figure median_of(const Samples& samples) {
    return samples.empty() ? Figure() : Figure(samples.median());
}

Figure ratio(const Figure& numerator, const Figure& denominator) {
    return numerator && denominator ? Figure(*numerator / *denominator) : Figure();
}

/// The median over the pairs of a figure of each pair.
template <typename FigureOf>
Figure over_pairs(const PosixResult& result, FigureOf figure_of) {
    Samples figures;
    for (const PairRecord& pair : result.pairs) {
        if (const Figure figure = figure_of(pair.samples))
            figures.add(*figure);
    }
    return median_of(figures);
}

Figure bandwidth(const PosixResult& result, const Measurements& samples, ColumnId column,
                 RowId row = kTransfer) {
    return ratio(static_cast<double>(result.plan.bytes), median_of(samples.at(row, column)));
}

Figure copy_bandwidth(const PosixResult& result, const Measurements& samples) {
    return gb_per_s(static_cast<double>(result.plan.bytes), best_copy(samples).nanoseconds);
}

/// A first transfer is compared with a first one. The tuned ring and the copies go through mapped pages, and
/// so does what they are compared with.
void summarise_bandwidths(const PosixResult& result, Summary& summary) {
    const auto over = [&result](auto figure_of) {
        return over_pairs(result, [&](const Measurements& pair) { return figure_of(result, pair); });
    };
    using Result = const PosixResult&;
    using Pair = const Measurements&;
    summary.posix_gb_s = over([](Result of, Pair pair) { return bandwidth(of, pair, kArticle); });
    summary.tuned_gb_s = over([](Result of, Pair pair) { return bandwidth(of, pair, kTuned); });
    summary.shmem_gb_s = over([](Result of, Pair pair) { return bandwidth(of, pair, kShmem); });
    summary.shmem_again_gb_s =
        over([](Result of, Pair pair) { return bandwidth(of, pair, kShmem, kTransferAgain); });
    summary.copy_limit_gb_s = over(copy_bandwidth);
    summary.ratio_posix = over([](Result of, Pair pair) {
        return ratio(bandwidth(of, pair, kShmem), bandwidth(of, pair, kArticle));
    });
    summary.ratio_posix_again = over([](Result of, Pair pair) {
        return ratio(bandwidth(of, pair, kShmem, kTransferAgain),
                     bandwidth(of, pair, kArticle, kTransferAgain));
    });
    summary.ratio_posix_tuned = over([](Result of, Pair pair) {
        return ratio(bandwidth(of, pair, kShmem, kTransferAgain), bandwidth(of, pair, kTuned));
    });
    summary.of_copy_limit = over([](Result of, Pair pair) {
        return ratio(bandwidth(of, pair, kShmem, kTransferAgain), copy_bandwidth(of, pair));
    });
    summary.tuned_of_copy_limit = over(
        [](Result of, Pair pair) { return ratio(bandwidth(of, pair, kTuned), copy_bandwidth(of, pair)); });
}

} // namespace

bool verified(const PosixResult& result) {
    return std::all_of(result.pairs.begin(), result.pairs.end(),
                       [](const PairRecord& pair) { return pair.outcome.transfers_wrong == 0; });
}

Summary summarise(const PosixResult& result) {
    const auto of = [&](RowId row, ColumnId column) { return median_of(result.table.at(row, column)); };
    Summary summary;
    summarise_bandwidths(result, summary);
    summary.hand_off_ns = of(kSynchronisation, kLimit);
    summary.event_one_way_ns = of(kSynchronisation, kShmem);
    summary.barrier_ns = of(kBarrier, kShmem);
    summary.put_8b_ns = of(kPut8Bytes, kShmem);
    summary.event_of_hand_off = over_pairs(result, [](const Measurements& pair) {
        return ratio(median_of(pair.at(kSynchronisation, kShmem)),
                     median_of(pair.at(kSynchronisation, kLimit)));
    });
    if (result.pairs.size() == 1) // the barrier is one of all PEs, the hand-off one of two
        summary.barrier_of_hand_off = ratio(summary.barrier_ns, summary.hand_off_ns);
    summary.alloc_touch_ms_per_gib = of(kAllocation, kShmem);
    summary.caller_thread_cpu_share = of(kCpuThread, kShmem);
    return summary;
}

} // namespace shm::bench

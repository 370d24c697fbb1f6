// SPDX-License-Identifier: Apache-2.0
#include "posix/record.hpp"

#include <limits>

namespace shm::bench {

void Measurements::add_medians(const Measurements& other) {
    for (int index = 0; index < kSetAside; ++index) {
        if (!other.series_[index].empty())
            series_[index].add(other.series_[index].median());
    }
}

void Measurements::set_all_aside(RowId row, ColumnId column) {
    Samples& samples = at(row, column);
    for (double value : samples.values())
        set_aside(row, column).add(value);
    samples.clear();
}

std::vector<double> Measurements::pack() const {
    std::vector<double> numbers;
    for (const Samples& samples : series_) {
        numbers.push_back(static_cast<double>(samples.values().size()));
        numbers.insert(numbers.end(), samples.values().begin(), samples.values().end());
    }
    return numbers;
}

Measurements Measurements::unpack(const double* numbers) {
    Measurements measurements;
    for (Samples& samples : measurements.series_) {
        for (auto count = static_cast<std::size_t>(*numbers++); count > 0; --count)
            samples.add(*numbers++);
    }
    return measurements;
}

std::size_t Measurements::packed_size(int rounds) {
    return kSeries * (1 + static_cast<std::size_t>(rounds) * kMostSamplesPerRound);
}

BestCopy best_copy(const Measurements& samples) {
    BestCopy best{0, kToPrivate, std::numeric_limits<double>::infinity()};
    for (int kind = 0; kind < kMaxCopyKinds; ++kind) {
        for (CopyTarget target : {kToPrivate, kToHeap}) {
            const Samples& times = samples.copy(kind, target);
            if (!times.empty() && times.median() < best.nanoseconds)
                best = {kind, target, times.median()};
        }
    }
    return best;
}

} // namespace shm::bench

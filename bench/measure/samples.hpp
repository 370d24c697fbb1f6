// SPDX-License-Identifier: Apache-2.0
// The repeated measurements of one figure, and what is quoted of them.
#pragma once

#include <cstddef>
#include <vector>

namespace shm::bench {

class Samples {
public:
    void add(double value) { values_.push_back(value); }
    void clear() { values_.clear(); }

    bool empty() const { return values_.empty(); }
    const std::vector<double>& values() const { return values_; }

    /// These need at least one sample.
    double median() const { return quantile(0.5); }
    /// Half the distance between the quartiles, relative to the median.
    double relative_spread() const { return (quantile(0.75) - quantile(0.25)) / 2 / median(); }

private:
    double quantile(double part) const;

    std::vector<double> values_; // in the order they were taken
};

} // namespace shm::bench

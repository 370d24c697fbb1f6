// SPDX-License-Identifier: Apache-2.0
#include "measure/samples.hpp"

#include <algorithm>
#include <cmath>

namespace shm::bench {

/// Interpolates between the two samples next to the place `part` of the sorted ones.
double Samples::quantile(double part) const {
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - std::floor(place));
}

} // namespace shm::bench

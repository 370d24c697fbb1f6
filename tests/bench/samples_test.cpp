// SPDX-License-Identifier: Apache-2.0
#include "measure/samples.hpp"

#include <gtest/gtest.h>

namespace shm::bench {
namespace {

Samples samples_of(std::initializer_list<double> values) {
    Samples samples;
    for (double value : values)
        samples.add(value);
    return samples;
}

TEST(Samples, median_is_the_middle_one_whatever_the_order) {
    EXPECT_DOUBLE_EQ(samples_of({9, 1, 5}).median(), 5);
}

TEST(Samples, median_of_an_even_number_lies_between_the_two_middle_ones) {
    EXPECT_DOUBLE_EQ(samples_of({4, 1, 2, 100}).median(), 3);
}

TEST(Samples, spread_ignores_a_single_outlier) {
    EXPECT_DOUBLE_EQ(samples_of({10, 10, 10, 10, 10, 10, 1000}).relative_spread(), 0);
    EXPECT_DOUBLE_EQ(samples_of({8, 9, 10, 11, 12}).relative_spread(), 0.1);
}

} // namespace
} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
#include "info/report.hpp"

#include <gtest/gtest.h>

namespace shm::info {
namespace {

std::vector<Section> example() {
    return {
        {"one", "One", {word("a", "first", "x"), size("b", "second one", std::uint64_t{2} << 20)}},
        {"two", "Two", {attempt("c", "tried", fail("no"), "It is slower."), attempt("d", "well", {}, "-")}}};
}

TEST(Report, aligns_the_values_of_a_section) {
    EXPECT_EQ(to_text(example()), "One\n"
                                  "  first       x\n"
                                  "  second one  2 MiB\n"
                                  "\n"
                                  "Two\n"
                                  "  tried  missing: no\n"
                                  "      It is slower.\n"
                                  "  well   works\n");
}

TEST(Report, wraps_long_remarks_between_words) {
    std::string remark;
    for (int i = 0; i < 30; ++i)
        remark += "words ";
    std::string text = to_text({{"s", "S", {{"k", "l", 1, "1", {remark}}}}});
    EXPECT_NE(text.find("\n      words"), text.npos);
    for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
        EXPECT_LE(text.find('\n', start) - start, 100U);
}

TEST(Report, is_nested_objects_in_json) {
    EXPECT_EQ(to_json(example()).dump(), R"({"one":{"a":"x","b_bytes":2097152},)"
                                         R"("two":{"c":{"works":false,"reason":"no"},"d":{"works":true}}})");
}

} // namespace
} // namespace shm::info

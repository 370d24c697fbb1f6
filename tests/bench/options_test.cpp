// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <vector>

#include <gmock/gmock.h>

namespace shm::bench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::variant<Options, Answer> parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "shmem-bench");
    std::vector<char*> argv;
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    return parse_options(static_cast<int>(argv.size()), argv.data());
}

Answer answer(const std::vector<std::string>& arguments) {
    return std::get<Answer>(parse(arguments));
}

TEST(Options, a_size_may_have_a_unit) {
    EXPECT_EQ(std::get<PosixOptions>(std::get<Options>(parse({"posix", "--size", "3MiB"}))).size, 3u << 20);
    EXPECT_EQ(std::get<PosixOptions>(std::get<Options>(parse({"posix", "--size", "4096"}))).size, 4096u);
}

TEST(Options, wrong_usage_is_named_and_has_status_2) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{}, "which benchmark? Give posix, put or synchronisation"},
        {{"posix", "put"}, "one benchmark at a time"},
        {{"poxis"}, "poxis"},
        {{"posix", "--size", "big"}, "--size: 'big' is no size"},
        {{"posix", "--size", "-5"}, "--size: '-5' is no size"},
        {{"posix", "--size", "99999999999999999999G"}, "'99999999999999999999G' is no size"},
        {{"posix", "--rounds", "0"}, "--rounds: Value 0 not in range 1 to 1000"},
        {{"synchronisation", "--json", "file"}, "--json"},
    };
    for (const auto& [arguments, reason] : cases) {
        const Answer answered = answer(arguments);
        EXPECT_EQ(answered.status, 2);
        EXPECT_THAT(answered.text, StartsWith("shmem-bench: "));
        EXPECT_THAT(answered.text, HasSubstr(reason));
        EXPECT_THAT(answered.text, HasSubstr("\nTry 'shmem-bench --help'.\n"));
    }
}

TEST(Options, help_is_that_of_the_benchmark_asked_for) {
    EXPECT_EQ(answer({"--help"}).status, 0);
    EXPECT_THAT(answer({"--help"}).text, HasSubstr("\nBenchmarks:\n  posix "));
    EXPECT_THAT(answer({"posix", "--help"}).text, HasSubstr("--json FILE"));
}

} // namespace
} // namespace shm::bench

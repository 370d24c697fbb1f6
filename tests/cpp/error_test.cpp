// SPDX-License-Identifier: Apache-2.0
#include "shmem/detail/error.hpp"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pes.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// What a call throws; without reasons when it does not.
shmem::Error thrown_by(const std::function<void()>& call) {
    try {
        call();
    } catch (const shmem::Error& error) {
        return error;
    }
    return shmem::Error({});
}

TEST(Error, has_its_reasons_and_all_of_them_in_one_line) {
    shmem::Error error({"outer", "middle", "inner"});
    EXPECT_STREQ(error.what(), "outer: middle: inner");
    EXPECT_THAT(error.reasons(), ElementsAre("outer", "middle", "inner"));
}

TEST(Error, of_a_mistake_names_function_argument_and_value) {
    auto number = shmem::symmetric<std::uint64_t>(1);
    std::uint64_t local = 0;
    auto* odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(number.ptr()) + 1);
    int pes = shmem::n_pes();
    struct Mistake {
        std::function<void()> call;
        std::string message;
    };
    std::string range = " = " + std::to_string(pes) + " is out of range: this job has PEs 0 to ";
    for (const Mistake& mistake : {
             Mistake{[&] { shmem::put(number.ptr(), 1, pes); }, "shmem::put: pe" + range},
             Mistake{[&] { shmem::get(number.ptr(), pes); }, "shmem::get: pe" + range},
             Mistake{[&] { shmem::ptr(number.ptr(), pes); }, "shmem::ptr: pe" + range},
             Mistake{[&] { number.on(pes); }, "shmem::symmetric::on: pe" + range},
             Mistake{[&] { shmem::signal_event(1, pes); }, "shmem::signal_event: pe" + range},
             Mistake{[&] { shmem::put(&local, 1, 0); }, "shmem::put: dest = 0x"},
             Mistake{[&] { shmem::get(&local, 0); }, "shmem::get: source = 0x"},
             Mistake{[&] { shmem::put(number.ptr(), nullptr, 8, 0); }, "shmem::put: source = NULL"},
             Mistake{[&] { shmem::put_nbi(&local, &local, 8, 0); }, "shmem::put_nbi: dest = 0x"},
             Mistake{[&] { shmem::get_nbi(&local, &local, 8, 0); }, "shmem::get_nbi: source = 0x"},
             Mistake{[&] { shmem::put_signal(number.ptr(), &local, 8, odd, 1, SHMEM_SIGNAL_SET, 0); },
                     "shmem::put_signal: sig_addr = 0x"},
             Mistake{[&] { shmem::put_signal(number.ptr(), &local, 8, number.ptr(), 1, 9, 0); },
                     "shmem::put_signal: sig_op = 9 must be"},
             Mistake{[&] { shmem::signal_fetch(&local); }, "shmem::signal_fetch: sig_addr = 0x"},
             Mistake{[&] { shmem::signal_wait_until(number.ptr(), 9, 0); },
                     "shmem::signal_wait_until: cmp = 9 must be"},
             Mistake{[&] { shmem::wait_event(64); }, "shmem::wait_event: id = 64 is out of range"},
             Mistake{[&] { shmem::signal_event(-1); }, "shmem::signal_event: id = -1 is out of range"},
         }) {
        shmem::Error error = thrown_by(mistake.call);
        EXPECT_THAT(error.what(), StartsWith(mistake.message));
        EXPECT_EQ(error.reasons().size(), 2U) << error.what();
    }
    EXPECT_EQ(number[0], 0U) << "a mistake changes nothing";
    shmem::barrier_all();
}

TEST(Error, of_a_lack_of_memory_has_the_chain_of_reasons_on_all_pes) {
    for (std::size_t bytes : {std::size_t{1} << 60, std::numeric_limits<std::size_t>::max()}) {
        shmem::Error error = thrown_by([&] { shmem::alloc(bytes); });
        ASSERT_EQ(error.reasons().size(), 3U) << error.what();
        EXPECT_EQ(error.reasons()[0], "shmem::alloc");
        EXPECT_THAT(error.reasons()[1], StartsWith("no symmetric memory for "));
        EXPECT_THAT(error.reasons()[1], HasSubstr(" EiB"));
        EXPECT_THAT(error.reasons()[2], HasSubstr("largest free piece of each PE's heap"));
    }
    EXPECT_THROW(shmem::symmetric<double>(std::size_t{1} << 62), shmem::Error) << "2^65 bytes";
    EXPECT_THROW(shmem::alloc_zeroed(std::size_t{1} << 60, 1), shmem::Error);
    EXPECT_NE(shmem::alloc(8).ptr(), nullptr) << "the job goes on";
}

TEST(Error, of_a_range_without_room_tells_both_sizes) {
    auto numbers = shmem::symmetric<int>(2);
    shmem::Error error = thrown_by([&] { shmem::put(numbers, std::vector<int>(3), 0); });
    EXPECT_STREQ(error.what(), "shmem::put: source has 3 elements, dest has room for 2");
}

TEST(Error, outside_init_and_finalize_says_so) {
    std::uint64_t word = 0;
    shmem::finalize();
    for (const std::function<void()>& call : std::initializer_list<std::function<void()>>{
             [] { shmem::my_pe(); }, [] { shmem::n_pes(); }, [] { shmem::barrier_all(); },
             [] { shmem::sync_all(); }, [] { shmem::fence(); }, [] { shmem::quiet(); },
             [] { shmem::alloc(8); }, [] { shmem::wait_event(0); }, [] { shmem::finalize(); },
             [&] { shmem::put(&word, 1, 0); }, [&] { shmem::ptr(&word, 0); }})
        EXPECT_THAT(thrown_by(call).what(), HasSubstr(": the library is finalized already"));
    shmem::init();
}

} // namespace

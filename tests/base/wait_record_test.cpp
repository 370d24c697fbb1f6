// SPDX-License-Identifier: Apache-2.0
#include "base/wait_record.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace shm {
namespace {

/// A wait of which all parts are made from one number, so that a mixture shows.
WaitView made_from(std::uint64_t number) {
    WaitView view = WaitView::of("a_call", WaitsFor::word, number);
    for (std::uint64_t* part :
         {&view.address, &view.object_begin, &view.object_bytes, &view.wanted, &view.since})
        *part = number;
    view.thread = static_cast<std::int64_t>(number);
    return view;
}

bool is_whole(const WaitView& view) {
    WaitView whole = made_from(view.position);
    return std::memcmp(&view, &whole, sizeof view) == 0;
}

class WaitRecordsTest : public testing::Test {
protected:
    std::unique_ptr<WaitRecords> records_ = std::make_unique<WaitRecords>();
};

TEST_F(WaitRecordsTest, a_wait_is_shown_from_its_begin_to_its_end) {
    int number = records_->begin(made_from(7));
    ASSERT_EQ(records_->all().size(), 1U);
    EXPECT_TRUE(is_whole(records_->all()[0]));
    records_->end(number);
    EXPECT_TRUE(records_->all().empty());
}

TEST_F(WaitRecordsTest, a_long_name_of_a_call_is_cut) {
    WaitView view = WaitView::of(std::string(1000, 'x').c_str(), WaitsFor::pe, 0);
    records_->begin(view);
    EXPECT_EQ(std::string(records_->all()[0].call), std::string(WaitView::kCallBytes - 1, 'x'));
}

TEST_F(WaitRecordsTest, one_wait_too_many_is_not_shown_and_does_no_harm) {
    std::vector<int> numbers;
    for (int count = 0; count < WaitRecords::kRecords; ++count)
        numbers.push_back(records_->begin(made_from(1)));
    int unseen = records_->begin(made_from(2));
    EXPECT_EQ(records_->all().size(), static_cast<std::size_t>(WaitRecords::kRecords));
    records_->end(unseen);
    EXPECT_EQ(records_->all().size(), static_cast<std::size_t>(WaitRecords::kRecords));
    records_->end(numbers[3]);
    EXPECT_GE(records_->begin(made_from(3)), 0) << "there is room again";
}

TEST_F(WaitRecordsTest, a_reader_never_sees_a_mixture_of_two_waits) {
    constexpr std::uint64_t kWaits = 20000;
    constexpr int kThreads = 3;
    std::atomic<int> writing{kThreads};
    std::vector<std::thread> writers;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread)
        writers.emplace_back([&, thread] {
            for (std::uint64_t wait = 0; wait < kWaits; ++wait)
                records_->end(records_->begin(made_from(wait * kThreads + thread)));
            --writing;
        });
    int mixed = 0;
    while (writing > 0)
        for (const WaitView& view : records_->all())
            mixed += !is_whole(view);
    for (std::thread& writer : writers)
        writer.join();
    EXPECT_EQ(mixed, 0);
    EXPECT_TRUE(records_->all().empty());
}

} // namespace
} // namespace shm

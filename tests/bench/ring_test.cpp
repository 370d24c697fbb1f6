// SPDX-License-Identifier: Apache-2.0
// The ring of the tuned POSIX column, its two processes played by two threads.
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "measure/pattern.hpp"
#include "posix/private_buffer.hpp"
#include "posix/tuned.hpp"

namespace shm::bench {
namespace {

constexpr std::size_t kRingBytes = 256 << 10;
constexpr RingSettings kSmallRing{64 << 10, 4, 0, 0};

class Ring : public testing::Test {
protected:
    Ring() {
        memory_ = std::vector<std::byte>(ring_segment_bytes(kRingBytes) + kSmallPage);
        auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
        shared_ = memory_.data() + (kSmallPage - start % kSmallPage) % kSmallPage;
    }

    std::vector<std::byte> memory_;
    std::byte* shared_;
};

TEST_F(Ring, transfer_longer_than_the_ring_arrives_whole) {
    constexpr std::size_t kBytes = 3 * kRingBytes + 4096;
    std::vector<std::byte> source(kBytes), destination(kBytes);
    fill_pattern(source.data(), kBytes, 5);
    std::thread sender([&] {
        TunedColumn column(shared_, kRingBytes, nullptr, true);
        column.use(kSmallRing);
        column.send(source.data(), kBytes);
        column.await();
    });
    TunedColumn column(shared_, kRingBytes, destination.data(), false);
    column.use(kSmallRing);
    const std::byte* received = column.receive(kBytes);
    column.signal();
    sender.join();
    EXPECT_EQ(received, destination.data());
    EXPECT_TRUE(holds_pattern(received, kBytes, 5));
}

TEST_F(Ring, each_message_of_a_ping_pong_is_the_latest) {
    constexpr std::uint64_t kMessages = 2000;
    const auto play = [this](bool sends, std::uint64_t& wrong) {
        std::uint64_t source = 0, destination = 0;
        TunedColumn column(shared_, kRingBytes, reinterpret_cast<std::byte*>(&destination), sends);
        column.use(kSmallRing);
        for (std::uint64_t message = 1; message <= kMessages; ++message) {
            source = message;
            if (sends)
                column.send(reinterpret_cast<std::byte*>(&source), sizeof source);
            column.receive(sizeof destination);
            wrong += destination != message;
            if (!sends)
                column.send(reinterpret_cast<std::byte*>(&source), sizeof source);
        }
        column.round_trips(100);
    };
    std::uint64_t wrong_here = 0, wrong_there = 0;
    std::thread peer([&] { play(false, wrong_there); });
    play(true, wrong_here);
    peer.join();
    EXPECT_EQ(wrong_here + wrong_there, 0u);
}

} // namespace
} // namespace shm::bench

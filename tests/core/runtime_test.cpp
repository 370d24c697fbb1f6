// SPDX-License-Identifier: Apache-2.0
#include "core/runtime.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "backend/host/memory.hpp"
#include "core/node_file.hpp"
#include "core/rma.hpp"

namespace shm {
namespace {

using Start = Result<std::unique_ptr<Runtime>>;

class RuntimeTest : public testing::Test {
protected:
    RuntimeTest() : node_file_(std::move(*create_node_file(1, 1))) {}

    Start start(int pe = 0) const {
        Seat seat;
        seat.pe = pe;
        seat.node_file = File(::fcntl(node_file_.descriptor(), F_DUPFD_CLOEXEC, 3));
        return Runtime::start(std::move(seat), Settings(), host::map_heaps);
    }

    static void* allocate(Runtime& runtime, std::size_t bytes) {
        auto allocation = runtime.allocate("shmem_malloc", bytes, 1);
        return **allocation;
    }

    std::uint64_t taken_bytes() const {
        struct stat status {};
        EXPECT_EQ(::fstat(node_file_.descriptor(), &status), 0);
        return static_cast<std::uint64_t>(status.st_blocks) * 512;
    }

    File node_file_;
};

TEST_F(RuntimeTest, a_seat_that_the_job_does_not_have_is_refused) {
    for (int pe : {-1, 1, 1000000}) {
        Start refused = start(pe);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().text(),
                  fmt::format("SHMEM_JOB_PE={} is not a PE of this job, which has 1", pe));
    }
}

TEST_F(RuntimeTest, a_seat_is_taken_once_at_a_time) {
    Start first = start();
    ASSERT_TRUE(first) << first.error().text();
    Start second = start();
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().text().find(fmt::format("PE 0 of this job is already process {}", ::getpid())),
              std::string::npos)
        << second.error().text();
}

TEST_F(RuntimeTest, the_next_program_in_a_seat_finds_it_clean) {
    for (int program = 0; program < 3; ++program) {
        Start runtime = start();
        ASSERT_TRUE(runtime) << runtime.error().text();
        EventCounters& events = (*runtime)->own_slot().events;
        events.signal(0, (*runtime)->own_slot().wake_up);
        events.wait("test", 0, (*runtime)->waiter());
        events.signal(1, (*runtime)->own_slot().wake_up); // left behind
        auto* object = static_cast<unsigned char*>(allocate(**runtime, 3 << 20));
        EXPECT_EQ(*object, 0) << "program " << program;
        *object = 1;
    }
}

TEST_F(RuntimeTest, leaving_gives_all_memory_back) {
    std::uint64_t before = taken_bytes();
    {
        Start runtime = start();
        ASSERT_TRUE(runtime);
        allocate(**runtime, 32 << 20);
        EXPECT_EQ(taken_bytes(), before + (32 << 20));
    }
    EXPECT_EQ(taken_bytes(), before);
}

TEST_F(RuntimeTest, objects_are_found_up_to_the_last_byte_of_the_last_one) {
    Start runtime = start();
    ASSERT_TRUE(runtime);
    auto* begin = static_cast<std::byte*>(allocate(**runtime, 128));
    Target target{};
    EXPECT_TRUE((*runtime)->locate(begin, 128, 0, target));
    EXPECT_EQ(target.there, begin);
    EXPECT_EQ(target.position, 0U);
    EXPECT_FALSE((*runtime)->locate(begin + 1, 128, 0, target));
    EXPECT_FALSE((*runtime)->locate(begin - 1, 1, 0, target));
    EXPECT_FALSE((*runtime)->locate(begin, ~std::size_t{0}, 0, target));
    EXPECT_FALSE((*runtime)->locate(begin, 1, 1, target));
    EXPECT_FALSE((*runtime)->locate(begin, 1, -1, target));
    EXPECT_FALSE((*runtime)->locate(nullptr, 0, 0, target));
}

} // namespace
} // namespace shm

// SPDX-License-Identifier: Apache-2.0
// Children of a PE run, and leave it unharmed.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shmem.h"

namespace {

struct Outcome {
    int status; // of exit, or -1
    std::string said;
};

Outcome wait_for(pid_t child, int said) {
    Outcome outcome{-1, ""};
    char piece[512];
    for (ssize_t count; (count = ::read(said, piece, sizeof piece)) > 0;)
        outcome.said.append(piece, static_cast<std::size_t>(count));
    ::close(said);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status))
        outcome.status = WEXITSTATUS(status);
    return outcome;
}

/// Runs `program` in a forked child, with its stderr listened to.
template <typename Program>
Outcome in_child(Program program) {
    int ends[2];
    if (::pipe(ends) != 0)
        return {-1, "no pipe"};
    pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        ::close(ends[1]);
        program();
        ::_exit(77);
    }
    ::close(ends[1]);
    return wait_for(child, ends[0]);
}

class ForkTest : public testing::Test {
protected:
    ForkTest() : word_(static_cast<std::uint64_t*>(shmem_calloc(2, sizeof(std::uint64_t)))) {}

    /// The PE works on after whatever its child did.
    ~ForkTest() override {
        std::uint64_t value = 5;
        int next = (shmem_my_pe() + 1) % shmem_n_pes();
        shmem_putmem_signal(word_, nullptr, 0, word_ + 1, value, SHMEM_SIGNAL_SET, next);
        EXPECT_EQ(shmem_signal_wait_until(word_ + 1, SHMEM_CMP_EQ, value), value);
        shmem_free(word_);
    }

    std::uint64_t* word_;
};

TEST_F(ForkTest, a_library_call_of_a_child_says_so_and_ends_the_child_alone) {
    Outcome put = in_child([&] { shmem_putmem(word_, word_, 8, 0); });
    EXPECT_EQ(put.status, 1);
    EXPECT_EQ(put.said, "shmem: PE " + std::to_string(shmem_my_pe()) +
                            ": shmem_putmem: used after fork: this process is a child of the PE that called "
                            "shmem_init, and only the PE itself can use the library\n");
    for (void (*call)() : {shmem_barrier_all, shmem_finalize, shmem_init, shmem_quiet}) {
        Outcome outcome = in_child(call);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_NE(outcome.said.find("used after fork"), std::string::npos) << outcome.said;
    }
}

TEST_F(ForkTest, the_exit_of_a_child_finalizes_nothing) {
    Outcome outcome = in_child([] { std::exit(3); });
    EXPECT_EQ(outcome.status, 3);
    EXPECT_EQ(outcome.said, "");
}

TEST_F(ForkTest, a_crash_of_a_child_is_its_own) {
    EXPECT_EQ(in_child([] { std::abort(); }).status, -1);
}

TEST_F(ForkTest, a_child_sees_symmetric_memory) {
    *word_ = 41;
    EXPECT_EQ(in_child([&] { ::_exit(static_cast<int>(*word_)); }).status, 41);
    *word_ = 0;
}

TEST_F(ForkTest, a_grandchild_is_no_pe_either) {
    Outcome outcome = in_child([&] {
        pid_t grandchild = ::fork();
        if (grandchild == 0)
            shmem_quiet();
        int status = 0;
        ::waitpid(grandchild, &status, 0);
        ::_exit(WEXITSTATUS(status));
    });
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.said.find("used after fork"), std::string::npos) << outcome.said;
}

TEST_F(ForkTest, system_runs) {
    EXPECT_EQ(WEXITSTATUS(std::system("exit 5")), 5);
}

TEST_F(ForkTest, posix_spawn_runs) {
    char shell[] = "/bin/sh", option[] = "-c", script[] = "exit 6";
    char* arguments[] = {shell, option, script, nullptr};
    pid_t child = 0;
    ASSERT_EQ(::posix_spawn(&child, shell, nullptr, nullptr, arguments, environ), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 6);
}

TEST_F(ForkTest, vfork_runs) {
    pid_t child = ::vfork();
    if (child == 0) {
        ::execl("/bin/sh", "sh", "-c", "exit 7", static_cast<char*>(nullptr));
        ::_exit(127);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

} // namespace

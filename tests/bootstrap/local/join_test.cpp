// SPDX-License-Identifier: Apache-2.0
#include "bootstrap/local/join.hpp"

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/node_file.hpp"

namespace shm::local {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kId = 0x0123456789abcdef;
constexpr const char* kVariables[] = {kJobPeVariable,       kJobFileVariable, kJobIdVariable,
                                      kJobLauncherVariable, kJobLifeVariable, kJobBindVariable};

struct Pipe {
    File reader, writer;
};

Pipe make_pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    return {File(ends[0]), File(ends[1])};
}

/// This process is its own launcher, and lives as long: its life line stays open.
class JoinTest : public testing::Test {
protected:
    JoinTest() : node_file_(std::move(*create_node_file(3, kId))) {
        static const Pipe& kLife = *new Pipe(make_pipe()); // until the kernel closes it
        set(kJobPeVariable, "1");
        set(kJobFileVariable, std::to_string(node_file_.descriptor()));
        set(kJobIdVariable, "0123456789abcdef");
        set(kJobLauncherVariable, std::to_string(::getpid()));
        set(kJobLifeVariable, std::to_string(kLife.reader.descriptor()));
        set(kJobBindVariable, "none");
    }
    ~JoinTest() override { clear(); }

    static void set(const char* variable, const std::string& value) { ::setenv(variable, value.c_str(), 1); }
    static void clear() {
        for (const char* variable : kVariables)
            ::unsetenv(variable);
    }
    static std::string complaint() {
        auto seat = join();
        return seat ? "joined" : seat.error().text();
    }
    static std::uint64_t job_of(const Seat& seat) {
        auto pages = map_control_pages(seat.node_file);
        EXPECT_TRUE(pages);
        std::uint64_t id = pages->header().job_id;
        unmap_control_pages(*pages);
        return id;
    }
    static void set_life(const Pipe& life) {
        set(kJobLifeVariable, std::to_string(life.reader.descriptor()));
    }

    File node_file_;
};

TEST_F(JoinTest, takes_the_seat_that_the_launcher_gave) {
    auto seat = join();
    ASSERT_TRUE(seat) << seat.error().text();
    EXPECT_EQ(seat->pe, 1);
    EXPECT_FALSE(seat->pin);
    EXPECT_FALSE(seat->alone);
    EXPECT_EQ(job_of(*seat), kId);
}

TEST_F(JoinTest, the_node_file_of_the_seat_is_not_inherited_by_other_programs) {
    auto seat = join();
    ASSERT_TRUE(seat);
    EXPECT_TRUE(::fcntl(seat->node_file.descriptor(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(JoinTest, a_pe_bound_to_cores_of_its_own_is_pinned) {
    set(kJobBindVariable, "core");
    EXPECT_TRUE(join()->pin);
    set(kJobBindVariable, "numa");
    EXPECT_FALSE(join()->pin);
}

TEST_F(JoinTest, without_a_launcher_there_is_one_seat_in_a_job_of_its_own) {
    clear();
    auto first = join();
    auto second = join();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->pe, 0);
    EXPECT_TRUE(first->alone);
    auto pages = map_control_pages(first->node_file);
    ASSERT_TRUE(pages);
    EXPECT_EQ(pages->header().n_pes, 1);
    unmap_control_pages(*pages);
    EXPECT_NE(job_of(*first), job_of(*second));
}

TEST_F(JoinTest, one_missing_variable_is_an_error_that_names_it) {
    for (const char* variable : kVariables) {
        std::string before = std::getenv(variable);
        ::unsetenv(variable);
        EXPECT_THAT(complaint(), HasSubstr(std::string(variable) + " is not: a launcher sets both"));
        set(variable, before);
    }
}

TEST_F(JoinTest, one_variable_alone_is_an_error_that_names_it) {
    for (const char* variable : kVariables) {
        clear();
        set(variable, "1");
        EXPECT_THAT(complaint(), HasSubstr(std::string(variable) + " is set but "));
    }
}

TEST_F(JoinTest, a_value_that_no_launcher_sets_is_an_error_that_shows_it) {
    for (const char* variable :
         {kJobPeVariable, kJobFileVariable, kJobIdVariable, kJobLauncherVariable, kJobLifeVariable}) {
        std::string before = std::getenv(variable);
        for (const char* bad : {"", "x", "1x", " 1", "99999999999999999999"}) {
            set(variable, bad);
            EXPECT_EQ(complaint(), fmt::format("{}={} is not what a launcher sets", variable, bad));
        }
        set(variable, before);
    }
}

TEST_F(JoinTest, a_closed_descriptor_is_looked_for_in_the_launcher) {
    // This process stands for the launcher; the PE is a child that has closed what it inherited.
    pid_t child = ::fork();
    if (child == 0) {
        ::close(node_file_.descriptor());
        auto seat = join();
        ::_exit(seat && job_of(*seat) == kId ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(JoinTest, a_descriptor_that_was_reused_is_looked_for_in_the_launcher) {
    pid_t child = ::fork();
    if (child == 0) {
        File other(::open("/dev/null", O_RDWR | O_CLOEXEC));
        ::dup2(other.descriptor(), node_file_.descriptor());
        auto seat = join();
        ::_exit(seat && job_of(*seat) == kId ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(JoinTest, the_node_file_of_another_job_is_an_error) {
    set(kJobIdVariable, "fedcba9876543210");
    EXPECT_THAT(complaint(), HasSubstr("is not the node file of job fedcba9876543210"));
}

TEST_F(JoinTest, a_descriptor_that_is_no_node_file_anywhere_is_an_error) {
    File other(::open("/dev/null", O_RDWR | O_CLOEXEC));
    set(kJobFileVariable, std::to_string(other.descriptor()));
    EXPECT_THAT(complaint(), HasSubstr("is not the node file of job 0123456789abcdef"));
    set(kJobFileVariable, "-1");
    EXPECT_THAT(complaint(), HasSubstr("descriptor -1 is not the node file"));
}

TEST_F(JoinTest, after_the_end_of_the_launcher_joining_is_refused) {
    Pipe life = make_pipe();
    set_life(life);
    life.writer = File();
    std::string expected = fmt::format("the launcher (process {}) has ended", ::getpid());
    pid_t child = ::fork(); // which is killed soon after, as it should be
    if (child == 0)
        ::_exit(complaint() == expected ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(JoinTest, a_busy_pe_does_not_outlive_its_launcher) {
    Pipe life = make_pipe();
    Pipe joined = make_pipe();
    set_life(life);
    pid_t child = ::fork();
    if (child == 0) {
        life.writer = File();
        auto seat = join();
        if (!seat || ::write(joined.writer.descriptor(), "", 1) != 1)
            ::_exit(1);
        for (;;) { // without a system call at which the end could be noticed
        }
    }
    char byte = 1;
    EXPECT_EQ(::read(joined.reader.descriptor(), &byte, 1), 1);
    life.writer = File();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(JoinTest, joining_again_keeps_the_number_of_descriptors) {
    {
        auto seat = join();
        ASSERT_TRUE(seat);
    }
    int before = File(::open("/dev/null", O_RDONLY | O_CLOEXEC)).descriptor();
    for (int round = 0; round < 20; ++round) {
        auto seat = join();
        ASSERT_TRUE(seat);
    }
    EXPECT_EQ(File(::open("/dev/null", O_RDONLY | O_CLOEXEC)).descriptor(), before);
}

} // namespace
} // namespace shm::local

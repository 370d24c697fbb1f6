// SPDX-License-Identifier: Apache-2.0
#include "base/anonymous_file.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lower_limit.hpp"

namespace shm {
namespace {

using test::LowerLimit;

constexpr std::uint64_t kMiB = 1 << 20;

File create(std::uint64_t bytes) {
    auto created = create_anonymous_file("test", bytes);
    EXPECT_TRUE(created);
    return std::move(*created);
}

struct stat status_of(const File& file) {
    struct stat status {};
    EXPECT_EQ(::fstat(file.descriptor(), &status), 0);
    return status;
}

TEST(AnonymousFile, takes_no_memory_at_first) {
    File file = create(64 * kMiB);
    EXPECT_EQ(status_of(file).st_size, 64 * kMiB);
    EXPECT_EQ(status_of(file).st_blocks, 0);
}

TEST(AnonymousFile, is_closed_on_exec) {
    EXPECT_TRUE(::fcntl(create(kMiB).descriptor(), F_GETFD) & FD_CLOEXEC);
}

TEST(AnonymousFile, can_be_neither_shrunk_nor_grown_nor_unsealed) {
    File file = create(kMiB);
    EXPECT_EQ(::ftruncate(file.descriptor(), 0), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::ftruncate(file.descriptor(), 2 * kMiB), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::fcntl(file.descriptor(), F_ADD_SEALS, F_SEAL_WRITE), -1);
}

TEST(AnonymousFile, is_its_users_alone_whatever_the_umask) {
    mode_t before = ::umask(0777);
    File file = create(kMiB);
    ::umask(before);
    EXPECT_EQ(status_of(file).st_mode & 07777, 0600);
}

TEST(AnonymousFile, never_becomes_a_standard_descriptor_of_a_program_that_has_them_closed) {
    pid_t child = ::fork();
    if (child == 0) {
        for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            ::close(descriptor);
        auto file = create_anonymous_file("test", kMiB);
        ::_exit(file && file->descriptor() > STDERR_FILENO && ::fcntl(STDOUT_FILENO, F_GETFD) < 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(AnonymousFile, has_no_limit_of_its_own) {
    EXPECT_EQ(file_system_room(create(kMiB)).bytes, std::numeric_limits<std::uint64_t>::max());
}

TEST(AnonymousFile, beyond_the_file_size_limit_is_refused_by_name) {
    LowerLimit limit(RLIMIT_FSIZE, kMiB);
    EXPECT_TRUE(create_anonymous_file("test", kMiB));
    auto refused = create_anonymous_file("test", kMiB + 1);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("ulimit -f"), std::string::npos) << refused.error().text();
}

#if !defined(__SANITIZE_ADDRESS__) // with which UBSan comes, who needs descriptors to look at objects
TEST(AnonymousFile, without_a_free_descriptor_is_refused_at_once) {
    LowerLimit limit(RLIMIT_NOFILE, 0);
    auto refused = create_anonymous_file("test", kMiB);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("Too many open files"), std::string::npos)
        << refused.error().text();
}
#endif

} // namespace
} // namespace shm

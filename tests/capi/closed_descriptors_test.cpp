// SPDX-License-Identifier: Apache-2.0
// A program that closes descriptors which it does not know, the library's among them, keeps its own files
// whole.
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "shmem.h"

namespace shm::test {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20;

class UserFile {
public:
    UserFile() : data_(kBytes, 'A') {
        char name[] = "/tmp/shmem-test-XXXXXX";
        descriptor_ = ::mkstemp(name);
        ::unlink(name);
        whole_ = ::write(descriptor_, data_.data(), kBytes) == static_cast<ssize_t>(kBytes);
    }
    ~UserFile() { ::close(descriptor_); }

    bool is_whole() const {
        std::string found(kBytes, '-');
        return whole_ && ::pread(descriptor_, found.data(), kBytes, 0) == static_cast<ssize_t>(kBytes) &&
               found == data_;
    }
    int descriptor() const { return descriptor_; }

private:
    std::string data_;
    int descriptor_;
    bool whole_;
};

TEST(ClosedDescriptors, leave_the_users_files_and_the_heaps_objects_alone) {
    auto* before = static_cast<char*>(shmem_malloc(kBytes));
    std::memset(before, 'B', kBytes);
    for (int descriptor = 3; descriptor < 256; ++descriptor)
        ::close(descriptor);
    UserFile file;
    ASSERT_EQ(file.descriptor(), 3) << "one of the library's numbers, presumably";

    EXPECT_EQ(shmem_malloc(kBytes), nullptr) << "there is no descriptor to take memory through";
    char word[8] = "put";
    shmem_putmem(before, word, sizeof word, shmem_my_pe());
    EXPECT_STREQ(before, "put");
    shmem_free(before);
    shmem_finalize();
    EXPECT_TRUE(file.is_whole());
    EXPECT_GE(::fcntl(file.descriptor(), F_GETFD), 0) << "still open";
}

} // namespace
} // namespace shm::test

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    shmem_init();
    return RUN_ALL_TESTS();
}

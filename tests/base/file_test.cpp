// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace shm {
namespace {

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) >= 0;
}

File open_null() {
    return File(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

TEST(File, closes_its_descriptor) {
    int descriptor = -1;
    {
        File file = open_null();
        ASSERT_TRUE(file);
        descriptor = file.descriptor();
        EXPECT_TRUE(is_open(descriptor));
    }
    EXPECT_FALSE(is_open(descriptor));
}

TEST(File, moves_its_descriptor) {
    File first = open_null();
    int descriptor = first.descriptor();
    File second = std::move(first);
    EXPECT_EQ(second.descriptor(), descriptor);
    EXPECT_TRUE(is_open(descriptor));
    second = File();
    EXPECT_FALSE(second);
    EXPECT_FALSE(is_open(descriptor));
}

TEST(File, gives_its_descriptor_away) {
    int descriptor = open_null().release();
    EXPECT_TRUE(is_open(descriptor));
    ::close(descriptor);
}

TEST(ReadText, reads_files_longer_than_one_piece) {
    test::TemporaryFolder folder;
    std::string text(10000, 'x');
    folder.write("long", text + "end");
    EXPECT_EQ(read_text(folder.path("long")), text + "end");
}

TEST(ReadText, tells_an_empty_file_from_none) {
    test::TemporaryFolder folder;
    folder.write("empty", "");
    EXPECT_EQ(read_text(folder.path("empty")), "");
    EXPECT_EQ(read_text(folder.path("missing")), std::nullopt);
    EXPECT_EQ(read_text(folder.path()), std::nullopt) << "a folder";
}

} // namespace
} // namespace shm

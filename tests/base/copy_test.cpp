// SPDX-License-Identifier: Apache-2.0
#include "base/copy.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kLine = 64;

/// Bytes that tell their positions: no two stretches of a few bytes are the same.
Bytes pattern(std::size_t bytes, std::uint64_t seed = 1) {
    Bytes result(bytes);
    for (unsigned char& byte : result) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        byte = static_cast<unsigned char>(seed >> 56);
    }
    return result;
}

/// Sizes at which copy may change its way: halves of caches.
std::size_t half_of_cache(const char* index, std::size_t otherwise) {
    const auto text = shm::read_text(std::string("/sys/devices/system/cpu/cpu0/cache/") + index + "/size");
    const std::size_t kib = text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
    return (kib > 0 ? kib << 10 : otherwise) / 2;
}

std::size_t half_of_first_level() {
    return half_of_cache("index0", 32 << 10);
}
std::size_t half_of_last_level() {
    return half_of_cache("index3", 32 << 20);
}

/// A source and a destination with a guard on either side, at any alignment, for copies of up to `most`
/// bytes.
class Ranges {
public:
    explicit Ranges(std::size_t most)
        : source_(pattern(most + 2 * kLine)), dest_(most + 4 * kLine), expected_(most + 4 * kLine) {}

    /// Copies, and says whether exactly the bytes of the destination changed, to those of the source.
    bool copied(std::size_t bytes, std::size_t dest_alignment, std::size_t source_alignment) {
        const std::size_t around = bytes + 4 * kLine;
        unsigned char* const source = aligned(source_.data(), source_alignment);
        unsigned char* const dest = aligned(dest_.data() + kLine, dest_alignment);
        const auto offset = dest - dest_.data();
        std::memset(dest_.data(), 0xEE, around);
        std::memset(expected_.data(), 0xEE, around);
        std::memcpy(expected_.data() + offset, source, bytes);
        shm::copy(dest, source, bytes);
        return std::memcmp(dest_.data(), expected_.data(), around) == 0;
    }

private:
    static unsigned char* aligned(unsigned char* start, std::size_t alignment) {
        return start + (alignment - reinterpret_cast<std::uintptr_t>(start)) % kLine;
    }

    Bytes source_;
    Bytes dest_;
    Bytes expected_;
};

TEST(Copy, every_small_size_changes_its_destination_alone) {
    Ranges ranges(5000);
    for (std::size_t bytes = 0; bytes <= 300; ++bytes)
        for (std::size_t alignment : {0, 1, 8, 31, 63})
            ASSERT_TRUE(ranges.copied(bytes, alignment, 0) && ranges.copied(bytes, 0, alignment))
                << bytes << " bytes, alignment " << alignment;
    for (std::size_t bytes = 4000; bytes <= 4400; ++bytes)
        ASSERT_TRUE(ranges.copied(bytes, 0, 0) && ranges.copied(bytes, 5, 40)) << bytes << " bytes";
}

TEST(Copy, any_alignment_of_both_sides_is_right) {
    Ranges ranges(5000);
    for (std::size_t bytes : {3, 8, 16, 31, 64, 65, 257, 5000})
        for (std::size_t dest = 0; dest < kLine; ++dest)
            for (std::size_t source = 0; source < kLine; ++source)
                ASSERT_TRUE(ranges.copied(bytes, dest, source))
                    << bytes << " bytes, dest at " << dest << ", source at " << source;
}

TEST(Copy, sizes_around_each_change_of_way_are_right) {
    Ranges ranges(half_of_last_level() + 2000);
    for (std::size_t change : {half_of_first_level(), std::size_t{64 << 10}, half_of_last_level()})
        for (std::size_t bytes : {change - 1, change, change + 1, change + 63, change + 127, change + 1999})
            for (std::size_t alignment : {0, 8, 17})
                ASSERT_TRUE(ranges.copied(bytes, alignment, 0) && ranges.copied(bytes, 0, alignment))
                    << bytes << " bytes, alignment " << alignment;
}

TEST(Copy, copying_a_range_onto_itself_changes_nothing) {
    for (std::size_t bytes : {1, 8, 13, 30, 64, 200, 5000, 100'000}) {
        Bytes range = pattern(bytes);
        shm::copy(range.data(), range.data(), bytes);
        EXPECT_EQ(range, pattern(bytes)) << bytes << " bytes";
    }
    Bytes range = pattern(half_of_last_level() + 1000);
    const Bytes before = range;
    shm::copy(range.data() + 1, range.data() + 1, range.size() - 1);
    EXPECT_TRUE(range == before);
}

TEST(Copy, no_bytes_need_no_memory) {
    volatile std::size_t none = 0; // not known to the compiler
    shm::copy(nullptr, nullptr, none);
}

template <typename Word>
class CopyOfWord : public testing::Test {};
using Words = testing::Types<std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CopyOfWord, Words);

// The reader is a process, as between PEs: between threads TSan would rightly call the plain stores a race.
TYPED_TEST(CopyOfWord, is_never_seen_in_part) {
    using Word = TypeParam;
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    auto& word = *static_cast<std::atomic<Word>*>(page);
    auto& readers_ready = *reinterpret_cast<std::atomic<int>*>(static_cast<std::byte*>(page) + 2 * kLine);
    Word* const patterns = reinterpret_cast<Word*>(static_cast<std::byte*>(page) + 4 * kLine);
    patterns[0] = 0;
    patterns[1] = static_cast<Word>(~Word{0});
    const pid_t reader = ::fork();
    ASSERT_GE(reader, 0);
    if (reader == 0) {
        // Many changes, but on a busy machine, where it rarely runs together with the writer, no longer than
        // this.
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        int changes = 0;
        Word before = 0;
        readers_ready = 1;
        for (unsigned turn = 1; changes < 20'000; ++turn) {
            if (turn % 4096 == 0 && changes > 0 && std::chrono::steady_clock::now() > end)
                break;
            const Word seen = word.load(std::memory_order_relaxed);
            if (seen != patterns[0] && seen != patterns[1])
                ::_exit(1);
            changes += seen != before ? 1 : 0;
            before = seen;
        }
        ::_exit(0);
    }
    while (readers_ready == 0)
        ::usleep(100);
    int status = 0;
    volatile std::size_t bytes = sizeof(Word); // not known to the compiler
    for (std::size_t turn = 0; turn % 4096 != 0 || ::waitpid(reader, &status, WNOHANG) == 0; ++turn)
        shm::copy(page, &patterns[turn % 2], bytes);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the reader saw part of a copy";
    ::munmap(page, 4096);
}

TEST(Copy, is_complete_before_a_later_release_store) {
    const std::size_t most = half_of_last_level() + 4096;
    const Bytes sources[] = {pattern(most, 1), pattern(most, 2)};
    Bytes dest(most);
    std::atomic<int> written = 0, read = 0;
    constexpr int kRounds = 24;
    const std::size_t sizes[] = {100, 20'000, 1 << 20, most};
    std::thread writer([&] {
        for (int round = 1; round <= kRounds; ++round) {
            shm::copy(dest.data(), sources[round % 2].data(), sizes[round % 4]);
            written.store(round, std::memory_order_release);
            while (read.load(std::memory_order_acquire) < round)
                std::this_thread::yield();
        }
    });
    int wrong = 0;
    for (int round = 1; round <= kRounds; ++round) {
        while (written.load(std::memory_order_acquire) < round)
            std::this_thread::yield();
        const std::size_t bytes = sizes[round % 4];
        const std::size_t tail = bytes > 4096 ? bytes - 4096 : 0; // what was written last
        wrong += std::memcmp(dest.data() + tail, sources[round % 2].data() + tail, bytes - tail) != 0 ? 1 : 0;
        read.store(round, std::memory_order_release);
    }
    writer.join();
    EXPECT_EQ(wrong, 0);
}

#ifndef __SANITIZE_THREAD__ // whose shadow of so many addresses would fill the memory
constexpr std::size_t kPiece = 16 << 20;
constexpr std::size_t kPieces = 256; // 4 GiB

/// kPieces + 1 pieces of addresses; the last has memory of its own, all others show the same piece.
unsigned char* map_repeated() {
    shm::File file(::memfd_create("copy_test", MFD_CLOEXEC));
    if (!file || ::ftruncate(file.descriptor(), 2 * kPiece) != 0)
        return nullptr;
    void* range = ::mmap(nullptr, (kPieces + 1) * kPiece, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return nullptr;
    auto* start = static_cast<unsigned char*>(range);
    for (std::size_t piece = 0; piece <= kPieces; ++piece)
        if (::mmap(start + piece * kPiece, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   file.descriptor(), piece == kPieces ? kPiece : 0) == MAP_FAILED)
            return nullptr;
    return start;
}

TEST(Copy, sizes_beyond_4_gib_are_right) {
    unsigned char* const source = map_repeated();
    unsigned char* const dest = map_repeated();
    ASSERT_TRUE(source != nullptr && dest != nullptr);
    const Bytes first = pattern(kPiece, 1), last = pattern(1000, 2);
    std::memcpy(source, first.data(), kPiece);
    std::memcpy(source + kPieces * kPiece, last.data(), last.size());
    shm::copy(dest, source, kPieces * kPiece + last.size());
    EXPECT_EQ(std::memcmp(dest, first.data(), kPiece), 0);
    EXPECT_EQ(std::memcmp(dest + kPieces * kPiece, last.data(), last.size()), 0);
    EXPECT_EQ(dest[kPieces * kPiece + last.size()], 0);
    ::munmap(source, (kPieces + 1) * kPiece);
    ::munmap(dest, (kPieces + 1) * kPiece);
}
#endif

} // namespace

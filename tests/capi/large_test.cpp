// SPDX-License-Identifier: Apache-2.0
// Offsets and sizes beyond 2^31 and 2^32.
#include <cstdint>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "shmem.h"

namespace {

using Word = std::uint64_t;

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kBytes = 9 * kGiB / 2;
constexpr std::size_t kNeededKib = 10 * kGiB >> 10; // two of them, and something for everybody else
constexpr std::size_t kOffsets[] = {(std::size_t{1} << 31) + 8, (std::size_t{1} << 32) + 8};
constexpr std::size_t kPutBytes = (std::size_t{1} << 31) + 4096;
constexpr std::size_t kPutTo = kGiB + 8;

std::size_t available_kib() {
    std::ifstream meminfo("/proc/meminfo");
    std::string key;
    for (std::size_t value = 0; meminfo >> key >> value; meminfo.ignore(100, '\n'))
        if (key == "MemAvailable:")
            return value;
    return 0;
}

/// What PE 0 found, so that all PEs decide alike.
std::size_t available_kib_of_pe_0() {
    auto* answer = static_cast<std::size_t*>(shmem_malloc(sizeof(std::size_t)));
    if (shmem_my_pe() == 0) {
        std::size_t kib = available_kib();
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            shmem_putmem(answer, &kib, sizeof kib, pe);
    }
    shmem_barrier_all();
    std::size_t kib = *answer;
    shmem_free(answer);
    return kib;
}

Word value_at(std::size_t index) {
    return (index + 1) * 0x9e3779b97f4a7c15;
}

/// PE 0 fills the beginning of its own object and puts it into that of PE 1.
void check_one_large_put(Word* object) {
    constexpr std::size_t kWords = kPutBytes / sizeof(Word);
    Word* landing = object + kPutTo / sizeof(Word);
    if (shmem_my_pe() == 0) {
        for (std::size_t index = 0; index < kWords; ++index)
            object[index] = value_at(index);
        shmem_putmem(landing, object, kPutBytes, 1);
    } else {
        landing[-1] = landing[kWords] = 42;
    }
    shmem_barrier_all();
    if (shmem_my_pe() != 1)
        return;
    std::size_t wrong = 0;
    for (std::size_t index = 0; index < kWords; ++index)
        wrong += landing[index] != value_at(index);
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(landing[-1], 42U);
    EXPECT_EQ(landing[kWords], 42U);
}

TEST(Large, offsets_and_sizes_go_beyond_2_to_the_32) {
    std::size_t available = available_kib_of_pe_0();
    if (available < kNeededKib)
        GTEST_SKIP() << "needs 10 GiB of memory; " << (available >> 20) << " GiB are available";
    auto* object = static_cast<Word*>(shmem_malloc(kBytes));
    ASSERT_NE(object, nullptr);
    for (std::size_t offset : kOffsets) {
        Word* word = object + offset / sizeof(Word);
        word[-1] = word[0] = word[1] = 0;
        shmem_barrier_all();
        Word value = offset;
        if (shmem_my_pe() == 0)
            shmem_putmem(word, &value, sizeof value, 1);
        shmem_barrier_all();
        EXPECT_EQ(word[0], shmem_my_pe() == 1 ? offset : 0);
        EXPECT_EQ(word[-1] + word[1], 0U);
    }
    check_one_large_put(object);
    shmem_free(object);
}

} // namespace

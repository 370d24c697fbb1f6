// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

namespace {

std::vector<int> all_pes() {
    std::vector<int> pes(static_cast<std::size_t>(shmem_n_pes()));
    std::iota(pes.begin(), pes.end(), 0);
    return pes;
}

bool contains(const std::vector<int>& pes, int pe) {
    return std::count(pes.begin(), pes.end(), pe) > 0;
}

shmemx_shared_t allocate(std::size_t bytes, const std::vector<int>& pes) {
    shmemx_shared_t handle = nullptr;
    EXPECT_EQ(shmemx_alloc_shared(bytes, pes.data(), static_cast<int>(pes.size()), &handle), 0);
    EXPECT_NE(handle, nullptr);
    return handle;
}

TEST(Shared, a_buffer_is_one_memory_at_one_address_and_zero_at_first) {
    shmemx_shared_t handle = allocate(5 << 20, all_pes());
    auto* bytes = static_cast<unsigned char*>(shmemx_shared_ptr(handle));
    EXPECT_EQ(shmemx_shared_size(handle), std::size_t{5 << 20});
    auto* addresses =
        static_cast<void**>(shmem_calloc(static_cast<std::size_t>(shmem_n_pes()), sizeof(void*)));
    void* mine = bytes;
    shmem_putmem(&addresses[shmem_my_pe()], &mine, sizeof mine, 0);
    EXPECT_EQ(bytes[(5 << 20) - 1 - shmem_my_pe()], 0);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes() && shmem_my_pe() == 0; ++pe)
        EXPECT_EQ(addresses[pe], mine) << "PE " << pe;
    bytes[shmem_my_pe()] = static_cast<unsigned char>(shmem_my_pe() + 1);
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe)
        EXPECT_EQ(bytes[pe], pe + 1);
    shmem_free(addresses);
    shmemx_free_shared(handle);
}

TEST(Shared, the_order_of_the_list_does_not_matter) {
    std::vector<int> pes = all_pes();
    std::rotate(pes.begin(), pes.begin() + shmem_my_pe(), pes.end());
    shmemx_free_shared(allocate(64, pes));
}

TEST(Shared, its_address_is_a_remote_address_among_its_members) {
    shmemx_shared_t handle = allocate(4096, all_pes());
    auto* words = static_cast<std::uint64_t*>(shmemx_shared_ptr(handle));
    int next = (shmem_my_pe() + 1) % shmem_n_pes();
    std::uint64_t value = 100 + static_cast<std::uint64_t>(shmem_my_pe());
    EXPECT_EQ(shmem_ptr(words, next), words);
    // The word of each PE in the one buffer: 8 words apart.
    shmem_putmem_signal(&words[8 * next], &value, sizeof value, &words[8 * next + 1], 7, SHMEM_SIGNAL_SET,
                        next);
    shmem_signal_wait_until(&words[8 * shmem_my_pe() + 1], SHMEM_CMP_EQ, 7);
    int previous = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    EXPECT_EQ(words[8 * shmem_my_pe()], 100 + static_cast<std::uint64_t>(previous));
    std::uint64_t got = 0;
    shmem_getmem(&got, &words[8 * next], sizeof got, previous);
    EXPECT_EQ(got, value);
    shmemx_free_shared(handle);
}

TEST(Shared, who_sleeps_on_a_word_is_woken_whatever_member_the_writer_names) {
    shmemx_shared_t handle = allocate(64, all_pes());
    auto* word = static_cast<std::uint64_t*>(shmemx_shared_ptr(handle));
    std::uint64_t one = 1;
    if (shmem_my_pe() == 0) {
        ::usleep(5000); // the others fall asleep
        shmem_putmem(word, &one, sizeof one, 0);
    } else {
        shmem_uint64_wait_until(word, SHMEM_CMP_EQ, 1);
    }
    EXPECT_EQ(*word, 1U);
    shmemx_free_shared(handle);
}

TEST(Shared, too_much_is_refused_on_all_members_with_one_warning) {
    std::vector<int> pes = all_pes();
    testing::internal::CaptureStderr();
    auto handle = reinterpret_cast<shmemx_shared_t>(&pes);
    int status = shmemx_alloc_shared(std::size_t{1} << 46, pes.data(), shmem_n_pes(), &handle);
    std::string warning = testing::internal::GetCapturedStderr();
    EXPECT_NE(status, 0);
    EXPECT_EQ(handle, nullptr);
    EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), shmem_my_pe() == 0 ? 1 : 0);
    if (shmem_my_pe() == 0) {
        EXPECT_NE(warning.find("warning: shmemx_alloc_shared makes no buffer: no shared memory for 64 TiB of "
                               "the share domain {0"),
                  std::string::npos)
            << warning;
    }
}

TEST(Shared, freed_memory_is_used_again_and_zero) {
    shmemx_shared_t first = allocate(1 << 20, all_pes());
    auto* address = static_cast<unsigned char*>(shmemx_shared_ptr(first));
    if (shmem_my_pe() == 0)
        std::memset(address, 1, 1 << 20);
    shmemx_free_shared(first);
    shmemx_shared_t second = allocate(1 << 20, all_pes());
    EXPECT_EQ(shmemx_shared_ptr(second), address);
    EXPECT_EQ(std::count(address, address + (1 << 20), 0), 1 << 20);
    shmemx_free_shared(second);
    shmemx_free_shared(nullptr);
}

/// One buffer of the many in the test below, as all PEs plan it.
struct Planned {
    std::vector<int> pes;
    std::size_t bytes;
    shmemx_shared_t handle = nullptr;
};

TEST(Shared, two_hundred_overlapping_domains_come_and_go_in_random_order) {
    std::mt19937 random(11); // the same on all PEs
    std::vector<Planned> plan;
    while (plan.size() < 200) {
        std::vector<int> pes;
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            if (random() % 2 == 0)
                pes.push_back(pe);
        std::size_t bytes = 1 + random() % 300'000;
        if (!pes.empty())
            plan.push_back({pes, bytes});
    }
    auto mark = [](std::size_t number, int pe) {
        return static_cast<unsigned char>(1 + (number * 7 + pe) % 251);
    };
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (!contains(plan[i].pes, shmem_my_pe()))
            continue;
        plan[i].handle = allocate(plan[i].bytes, plan[i].pes);
        // Each member writes the bytes that are its own.
        auto* bytes = static_cast<unsigned char*>(shmemx_shared_ptr(plan[i].handle));
        for (auto at = static_cast<std::size_t>(shmem_my_pe()); at < plan[i].bytes;
             at += static_cast<std::size_t>(shmem_n_pes()))
            bytes[at] = mark(i, shmem_my_pe());
    }
    shmem_barrier_all();
    std::vector<std::size_t> order(plan.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order) {
        if (!plan[i].handle)
            continue;
        auto* bytes = static_cast<unsigned char*>(shmemx_shared_ptr(plan[i].handle));
        for (std::size_t at = 0; at < plan[i].bytes; ++at) {
            int owner = static_cast<int>(at % static_cast<std::size_t>(shmem_n_pes()));
            ASSERT_EQ(bytes[at], contains(plan[i].pes, owner) ? mark(i, owner) : 0) << i << " at " << at;
        }
        shmemx_free_shared(plan[i].handle);
    }
}

} // namespace

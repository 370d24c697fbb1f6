// SPDX-License-Identifier: Apache-2.0
// Each mistake ends the PE with a message that names the function, the argument, its value and the PE. The
// jobs are of one PE.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "shmem.h"
#include "shmemx.h"

namespace {

using testing::ExitedWithCode;

constexpr char kNotInitialised[] = ": the library is not initialised: call shmem_init first";

/// In the child that makes the mistake.
template <typename Mistake>
void in_a_job(Mistake mistake) {
    shmem_init();
    auto* object = static_cast<std::uint64_t*>(shmem_calloc(8, sizeof(std::uint64_t)));
    mistake(object);
}

#define EXPECT_MISTAKE(mistake, message)                                                                     \
    EXPECT_EXIT(in_a_job([](std::uint64_t* object [[maybe_unused]]) { mistake; }), ExitedWithCode(1),        \
                "^shmem: PE 0: " message)

TEST(MisuseTest, before_init_every_function_says_so) {
    std::uint64_t word = 0;
    EXPECT_EXIT(shmem_my_pe(), ExitedWithCode(1), std::string("^shmem: shmem_my_pe") + kNotInitialised);
    EXPECT_EXIT(shmem_n_pes(), ExitedWithCode(1), std::string("^shmem: shmem_n_pes") + kNotInitialised);
    EXPECT_EXIT(shmem_finalize(), ExitedWithCode(1), std::string("^shmem: shmem_finalize") + kNotInitialised);
    EXPECT_EXIT(shmem_global_exit(0), ExitedWithCode(1),
                std::string("^shmem: shmem_global_exit") + kNotInitialised);
    EXPECT_EXIT(shmem_malloc(8), ExitedWithCode(1), std::string("^shmem: shmem_malloc") + kNotInitialised);
    EXPECT_EXIT(shmem_calloc(8, 8), ExitedWithCode(1), std::string("^shmem: shmem_calloc") + kNotInitialised);
    EXPECT_EXIT(shmem_align(8, 8), ExitedWithCode(1), std::string("^shmem: shmem_align") + kNotInitialised);
    EXPECT_EXIT(shmem_realloc(nullptr, 8), ExitedWithCode(1),
                std::string("^shmem: shmem_realloc") + kNotInitialised);
    EXPECT_EXIT(shmem_free(&word), ExitedWithCode(1), std::string("^shmem: shmem_free") + kNotInitialised);
    EXPECT_EXIT(shmem_ptr(&word, 0), ExitedWithCode(1), std::string("^shmem: shmem_ptr") + kNotInitialised);
    EXPECT_EXIT(shmem_putmem(&word, &word, 8, 0), ExitedWithCode(1),
                std::string("^shmem: shmem_putmem") + kNotInitialised);
    EXPECT_EXIT(shmem_getmem_nbi(&word, &word, 8, 0), ExitedWithCode(1),
                std::string("^shmem: shmem_getmem_nbi") + kNotInitialised);
    EXPECT_EXIT(shmem_quiet(), ExitedWithCode(1), std::string("^shmem: shmem_quiet") + kNotInitialised);
    EXPECT_EXIT(shmem_fence(), ExitedWithCode(1), std::string("^shmem: shmem_fence") + kNotInitialised);
    EXPECT_EXIT(shmem_barrier_all(), ExitedWithCode(1),
                std::string("^shmem: shmem_barrier_all") + kNotInitialised);
    EXPECT_EXIT(shmemx_wait_event(0), ExitedWithCode(1),
                std::string("^shmem: shmemx_wait_event") + kNotInitialised);
}

TEST(MisuseTest, after_finalize_too) {
    EXPECT_EXIT(
        {
            shmem_init();
            auto* object = static_cast<std::uint64_t*>(shmem_calloc(2, sizeof(std::uint64_t)));
            shmem_finalize();
            shmem_putmem(object, object + 1, 8, 0);
        },
        ExitedWithCode(1), "^shmem: PE 0: shmem_putmem: the library is finalized already");
    EXPECT_EXIT(
        {
            shmem_init();
            shmem_finalize();
            shmem_barrier_all();
        },
        ExitedWithCode(1), "^shmem: PE 0: shmem_barrier_all: the library is finalized already");
    EXPECT_EXIT(
        {
            shmem_init();
            shmem_finalize();
            shmem_finalize();
        },
        ExitedWithCode(1), "^shmem: PE 0: shmem_finalize: the library is finalized already");
}

TEST(MisuseTest, a_pe_out_of_range) {
    std::uint64_t local = 0;
    (void)local;
    EXPECT_MISTAKE(shmem_putmem(object, object, 8, 1),
                   "shmem_putmem: pe = 1 is out of range: this job has PEs 0 to 0");
    EXPECT_MISTAKE(shmem_putmem_nbi(object, object, 0, -1), "shmem_putmem_nbi: pe = -1 is out of range");
    EXPECT_MISTAKE(shmem_getmem(object, object, 8, 1 << 30), "shmem_getmem: pe = 1073741824 is out of range");
    EXPECT_MISTAKE(shmem_put(7U, object, object, 8), "shmem_put: target_pe = 7 is out of range");
    EXPECT_MISTAKE(shmem_put(1LL << 32, object, object, 8),
                   "shmem_put: target_pe = 4294967296 is out of range");
    EXPECT_MISTAKE(shmem_get(-1, object, object, 8), "shmem_get: target_pe = -1 is out of range");
    EXPECT_MISTAKE(shmem_ptr(object, 2), "shmem_ptr: pe = 2 is out of range");
    EXPECT_MISTAKE(shmem_putmem_signal(object, object, 8, object + 1, 1, SHMEM_SIGNAL_SET, 3),
                   "shmem_putmem_signal: pe = 3 is out of range");
    EXPECT_MISTAKE(shmemx_signal_event(0, 1), "shmemx_signal_event: pe = 1 is out of range");
}

TEST(MisuseTest, an_address_that_is_not_symmetric) {
    EXPECT_MISTAKE(shmem_putmem(nullptr, object, 8, 0),
                   "shmem_putmem: dest = NULL is not a symmetric address: did shmem_malloc return NULL");
    EXPECT_MISTAKE(shmem_putmem(&object, object, 8, 0),
                   "shmem_putmem: dest = 0x[0-9a-f]+ is not a symmetric address");
    EXPECT_MISTAKE(shmem_put(0, object, &object, 8),
                   "shmem_put: remote = 0x[0-9a-f]+ is not a symmetric address");
    EXPECT_MISTAKE(shmem_getmem(object, &object, 8, 0),
                   "shmem_getmem: source = 0x[0-9a-f]+ is not a symmetric address");
    EXPECT_MISTAKE(shmem_putmem_signal(object, object, 8, nullptr, 1, SHMEM_SIGNAL_SET, 0),
                   "shmem_putmem_signal: sig_addr = NULL is not a symmetric address");
    EXPECT_MISTAKE(shmem_signal_fetch(nullptr), "shmem_signal_fetch: sig_addr = NULL is not a symmetric");
    EXPECT_MISTAKE(shmem_uint64_wait_until(nullptr, SHMEM_CMP_EQ, 0),
                   "shmem_uint64_wait_until: ivar = NULL is not a symmetric address");
}

TEST(MisuseTest, a_range_that_reaches_past_its_object) {
    EXPECT_MISTAKE(
        shmem_putmem(object, object, 65, 0),
        "shmem_putmem: dest = 0x[0-9a-f]+ and the 65 bytes from there reach 1 byte past the end of the "
        "symmetric object of 64 bytes that begins at 0x[0-9a-f]+");
    EXPECT_MISTAKE(shmem_getmem(object, object + 7, 9, 0),
                   "shmem_getmem: source = 0x[0-9a-f]+ and the 9 bytes from there reach 1 byte past the end");
    EXPECT_MISTAKE(
        {
            shmem_malloc(1000); // lies behind
            shmem_putmem(object, object, 65, 0);
        },
        "shmem_putmem: dest = 0x[0-9a-f]+ and the 65 bytes from there reach 1 byte past the end");
    EXPECT_MISTAKE(shmem_signal_fetch(object + 8), "shmem_signal_fetch: sig_addr = 0x[0-9a-f]+ lies in the "
                                                   "symmetric heap, but in no object");
    EXPECT_MISTAKE(shmem_putmem(object, object, ~std::size_t{0}, 0),
                   "shmem_putmem: dest = 0x[0-9a-f]+ and the 18446744073709551615 bytes \\(16 EiB\\) from "
                   "there reach 18446744073709551551 bytes \\(16 EiB\\) past the end");
}

TEST(MisuseTest, an_object_that_is_freed) {
    EXPECT_MISTAKE(
        {
            shmem_free(object);
            shmem_putmem(object, &object, 8, 0);
        },
        "shmem_putmem: dest = 0x[0-9a-f]+ lies in the symmetric heap, but in no object: it was freed, or "
        "never "
        "allocated");
}

TEST(MisuseTest, an_object_that_is_freed_is_remembered_on_request) {
    ::setenv("SHMEM_CHECK", "1", 1);
    EXPECT_MISTAKE(
        {
            shmem_free(object);
            shmem_malloc(64);
            shmem_putmem(object + 1, &object, 8, 0);
        },
        "shmem_putmem: dest = 0x[0-9a-f]+ lies in the symmetric object of 64 bytes that began at 0x[0-9a-f]+ "
        "and "
        "has been freed");
    EXPECT_MISTAKE(
        {
            shmem_free(object);
            shmem_malloc(64);
            shmem_free(object);
        },
        "shmem_free: ptr = 0x[0-9a-f]+ has been freed already: it was a symmetric object of 64 bytes");
    ::unsetenv("SHMEM_CHECK");
}

TEST(MisuseTest, no_local_buffer) {
    EXPECT_MISTAKE(shmem_putmem(object, nullptr, 8, 0),
                   "shmem_putmem: source = NULL: it must be a buffer of this PE");
    EXPECT_MISTAKE(shmem_getmem(nullptr, object, 8, 0),
                   "shmem_getmem: dest = NULL: it must be a buffer of this PE");
}

TEST(MisuseTest, a_misaligned_word) {
    EXPECT_MISTAKE(shmem_putmem_signal(object, object, 8,
                                       reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(object) + 12),
                                       1, SHMEM_SIGNAL_SET, 0),
                   "shmem_putmem_signal: sig_addr = 0x[0-9a-f]+c is not aligned: it must be a multiple of 8");
    EXPECT_MISTAKE(
        shmem_signal_wait_until(reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(object) + 1),
                                SHMEM_CMP_EQ, 0),
        "shmem_signal_wait_until: sig_addr = 0x[0-9a-f]+1 is not aligned: it must be a multiple of 8");
}

TEST(MisuseTest, a_number_that_is_not_one_of_the_constants) {
    EXPECT_MISTAKE(shmem_putmem_signal(object, object, 8, object + 1, 1, 3, 0),
                   "shmem_putmem_signal: sig_op = 3 must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD");
    EXPECT_MISTAKE(shmem_signal_wait_until(object, 0, 0),
                   "shmem_signal_wait_until: cmp = 0 must be SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, "
                   "SHMEM_CMP_GE, SHMEM_CMP_LT or SHMEM_CMP_LE");
    EXPECT_MISTAKE(shmem_uint64_wait_until(object, 7, 0),
                   "shmem_uint64_wait_until: cmp = 7 must be SHMEM_CMP_EQ");
}

TEST(MisuseTest, an_event_that_does_not_exist) {
    EXPECT_MISTAKE(shmemx_signal_event(64, 0),
                   "shmemx_signal_event: id = 64 is out of range: events have numbers 0 to 63");
    EXPECT_MISTAKE(shmemx_signal_event_all(-1), "shmemx_signal_event_all: id = -1 is out of range");
    EXPECT_MISTAKE(shmemx_wait_event(1000), "shmemx_wait_event: id = 1000 is out of range");
}

TEST(MisuseTest, a_free_of_what_is_no_object) {
    EXPECT_MISTAKE(
        {
            shmem_free(object);
            shmem_free(object);
        },
        "shmem_free: ptr = 0x[0-9a-f]+ is not the beginning of a symmetric object: it has been freed "
        "already, "
        "or was never allocated");
    EXPECT_MISTAKE(shmem_free(object + 1),
                   "shmem_free: ptr = 0x[0-9a-f]+ is not the beginning of a symmetric object: the one of 64 "
                   "bytes around it begins at 0x[0-9a-f]+");
    EXPECT_MISTAKE(shmem_free(&object), "shmem_free: ptr = 0x[0-9a-f]+ is not memory of the symmetric heap");
    EXPECT_MISTAKE(shmem_realloc(object + 1, 8), "shmem_realloc: ptr = 0x[0-9a-f]+ is not the beginning");
    EXPECT_MISTAKE(shmem_realloc(&object, 0), "shmem_realloc: ptr = 0x[0-9a-f]+ is not memory of");
}

TEST(MisuseTest, an_alignment_that_is_none) {
    for (std::size_t alignment : {0, 1, 4, 24, 63})
        EXPECT_EXIT(in_a_job([&](std::uint64_t*) { shmem_align(alignment, 8); }), ExitedWithCode(1),
                    "^shmem: PE 0: shmem_align: alignment = " + std::to_string(alignment) +
                        " must be a power of two and a multiple of 8");
}

shmemx_shared_t share(std::size_t bytes, const std::vector<int>& pes) {
    shmemx_shared_t handle = nullptr;
    shmemx_alloc_shared(bytes, pes.data(), static_cast<int>(pes.size()), &handle);
    return handle;
}

shmemx_shared_t shared_by_pe_0() {
    return share(100, {0});
}

TEST(MisuseTest, a_share_domain_that_is_none) {
    EXPECT_MISTAKE(share(8, std::vector<int>(2)),
                   "shmemx_alloc_shared: n = 2 must be the number of PEs in the list, 1 to 1");
    EXPECT_MISTAKE(share(8, {1}), "shmemx_alloc_shared: pes names PE 1, which is out of range");
    EXPECT_MISTAKE(share(8, {}), "shmemx_alloc_shared: pes = NULL");
    EXPECT_MISTAKE(share(0, {0}), "shmemx_alloc_shared: bytes = 0");
    EXPECT_MISTAKE(shmemx_alloc_shared(8, std::vector<int>(1).data(), 1, nullptr),
                   "shmemx_alloc_shared: handle = NULL");
    EXPECT_MISTAKE(
        {
            shmemx_shared_t handle = nullptr;
            shmemx_alloc_shared(8, std::vector<int>(1).data(), 0, &handle);
        },
        "shmemx_alloc_shared: n = 0 must be the number of PEs");
}

TEST(MisuseTest, a_shared_buffer_that_is_freed_or_left) {
    EXPECT_MISTAKE(
        {
            shmemx_shared_t handle = shared_by_pe_0();
            shmemx_free_shared(handle);
            shmemx_free_shared(handle);
        },
        "shmemx_free_shared: handle = 0x[0-9a-f]+ is not a shared buffer of this PE: it has been freed "
        "already");
    EXPECT_MISTAKE(shmem_free(shmemx_shared_ptr(shared_by_pe_0())),
                   "shmem_free: ptr = 0x[0-9a-f]+ lies in the region of shared buffers: shmemx_free_shared");
    EXPECT_MISTAKE(
        shmem_putmem(shmemx_shared_ptr(shared_by_pe_0()), object, 101, 0),
        "shmem_putmem: dest = 0x[0-9a-f]+ and the 101 bytes from there reach 1 byte past the end of the "
        "shared buffer of 100 bytes");
    EXPECT_MISTAKE(
        {
            shmemx_shared_t handle = shared_by_pe_0();
            void* address = shmemx_shared_ptr(handle);
            shmemx_free_shared(handle);
            shmem_putmem(address, object, 8, 0);
        },
        "shmem_putmem: dest = 0x[0-9a-f]+ lies in no shared buffer of this PE: it was freed, or");
}

TEST(MisuseTest, half_set_variables_of_a_launcher) {
    EXPECT_EXIT(
        {
            ::setenv("SHMEM_JOB_PE", "0", 1);
            shmem_init();
        },
        ExitedWithCode(1), "^shmem: shmem_init: SHMEM_JOB_PE is set but SHMEM_JOB_[A-Z]+ is not");
}

TEST(MisuseTest, a_setting_that_makes_no_sense) {
    EXPECT_EXIT(
        {
            ::setenv("SHMEM_SYMMETRIC_SIZE", "lots", 1);
            shmem_init();
        },
        ExitedWithCode(1), "^shmem: shmem_init: SHMEM_SYMMETRIC_SIZE=lots: it must be a non-negative number");
}

TEST(MisuseTest, does_not_lose_what_the_program_printed) {
    // Death tests show stderr only.
    EXPECT_EXIT(
        {
            ::dup2(STDERR_FILENO, STDOUT_FILENO);
            shmem_init();
            std::printf("printed before");
            shmem_ptr(nullptr, 7);
        },
        ExitedWithCode(1), "printed before");
}

} // namespace

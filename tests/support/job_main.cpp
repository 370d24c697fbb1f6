// SPDX-License-Identifier: Apache-2.0
// main() of GoogleTest programs that run as several PEs.
//
// Every PE runs every test, all starting each one together. PE 0 reports progress; a PE whose test fails says
// what failed and ends with status 1, at which the launcher ends the job: the other PEs may be waiting for
// it.
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "shmem.h"

namespace {

class InStep : public testing::EmptyTestEventListener {
public:
    explicit InStep(int pe) : pe_(pe) {}

    void OnTestStart(const testing::TestInfo&) override { shmem_barrier_all(); }

    void OnTestPartResult(const testing::TestPartResult& part) override {
        if (part.failed())
            std::fprintf(stderr, "PE %d: %s:%d: %s\n", pe_, part.file_name(), part.line_number(),
                         part.message());
    }

    void OnTestEnd(const testing::TestInfo& test) override {
        if (!test.result()->Failed())
            return;
        std::fprintf(stderr, "PE %d: %s.%s failed\n", pe_, test.test_suite_name(), test.name());
        std::fflush(nullptr);
        std::_Exit(1);
    }

private:
    int pe_;
};

} // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    shmem_init();
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    if (shmem_my_pe() != 0)
        delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new InStep(shmem_my_pe()));
    int status = RUN_ALL_TESTS();
    shmem_finalize();
    return status;
}

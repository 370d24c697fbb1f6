// SPDX-License-Identifier: Apache-2.0
// A buffer on every PE; PE 0 puts its data into each of them and signals; all check it and answer.
// A put with the target first, and a numbered event for "it is there": nothing else is needed.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include <shmem.hpp>

using namespace shmem;

namespace {

constexpr std::size_t kBytes = 16_MB; // the heap has no size to configure: 1_GB works as well where it fits

void send_to_all(const Buffer& h) {
    std::vector<std::uint64_t> local(h.as<std::uint64_t>().size()); // any memory of this PE
    for (std::size_t i = 0; i < local.size(); ++i)
        local[i] = i * i;
    for (int target_pe = 0; target_pe < n_pes(); ++target_pe)
        shmem_put(target_pe, local.data(), h.ptr(), h.size());
    signal_event(EVENT_ID_0); // to all others
}

int check_answers(std::span<const std::uint64_t> answers, std::uint64_t expected) {
    for (int pe = 1; pe < n_pes(); ++pe)
        wait_event(EVENT_ID_1); // events count: one wait for each answer
    for (int pe = 0; pe < n_pes(); ++pe) {
        if (answers[pe] != expected) {
            std::fprintf(stderr, "PE %d found another sum\n", pe);
            return 1;
        }
    }
    std::printf("article: %d PEs have the same %zu bytes\n", n_pes(), kBytes);
    return 0;
}

} // namespace

int main() {
    init();
    auto h = alloc(kBytes); // on every PE, at the same address
    auto answers = alloc(n_pes() * sizeof(std::uint64_t));

    if (my_pe() == 0)
        send_to_all(h);
    else
        wait_event(EVENT_ID_0);

    std::span<std::uint64_t> values = h.as<std::uint64_t>();
    std::uint64_t answer = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    put(&answers.as<std::uint64_t>()[my_pe()], answer, 0);
    if (my_pe() != 0)
        signal_event(EVENT_ID_1, 0);

    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < values.size(); ++i)
        expected += i * i;
    int status = my_pe() == 0 ? check_answers(answers.as<std::uint64_t>(), expected) : 0;
    finalize();
    return status;
}

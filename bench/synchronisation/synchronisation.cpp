// SPDX-License-Identifier: Apache-2.0
#include "synchronisation/synchronisation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "machine.hpp"
#include "measure/clock.hpp"
#include "measure/samples.hpp"
#include "shmem.hpp"

namespace shm::bench {

namespace {

constexpr int kBarriers = 10'000;
constexpr int kLaps = 5'000;
constexpr int kRingEvent = 1;
constexpr int kIdleEvent = 2;
constexpr std::chrono::milliseconds kSettling{100}; // until a waiting PE is expected to sleep
constexpr std::chrono::milliseconds kIdleTime{1000};

double barriers_ns() {
    shmem::barrier_all();
    const std::int64_t start = now();
    for (int barrier = 0; barrier < kBarriers; ++barrier)
        shmem::barrier_all();
    return static_cast<double>(now() - start) / kBarriers;
}

/// An event goes round all PEs.
double hop_ns() {
    const int me = shmem::my_pe();
    const int pes = shmem::n_pes();
    const int next = (me + 1) % pes;
    shmem::barrier_all();
    const std::int64_t start = now();
    for (int lap = 0; lap < kLaps; ++lap) {
        if (me == 0)
            shmem::signal_event(kRingEvent, next);
        shmem::wait_event(kRingEvent);
        if (me != 0)
            shmem::signal_event(kRingEvent, next);
    }
    return static_cast<double>(now() - start) / kLaps / pes;
}

/// The largest share of a CPU that a waiting PE takes, when PE 0 lets all others wait. On PE 0.
double waiting_cpu_share() {
    auto processes = shmem::symmetric<int>(static_cast<std::size_t>(shmem::n_pes()));
    shmem::put(&processes[static_cast<std::size_t>(shmem::my_pe())], static_cast<int>(::getpid()), 0);
    shmem::barrier_all();
    if (shmem::my_pe() != 0) {
        shmem::wait_event(kIdleEvent);
        return 0;
    }
    std::this_thread::sleep_for(kSettling);
    std::vector<CpuClock> clocks;
    std::vector<std::int64_t> before;
    for (int process : processes) {
        clocks.emplace_back(std::vector<pid_t>{process});
        before.push_back(clocks.back().read().all);
    }
    const std::int64_t start = now();
    std::this_thread::sleep_for(kIdleTime);
    const auto time = static_cast<double>(now() - start);
    double largest = 0;
    for (std::size_t pe = 1; pe < before.size(); ++pe)
        largest = std::max(largest, static_cast<double>(clocks[pe].read().all - before[pe]) / time);
    shmem::signal_event(kIdleEvent);
    return largest;
}

void print_row(const char* what, const Samples& ns, const std::string& as) {
    fmt::print("  {:<28}{:>10.0f} ns  ± {:.0f} %   {}\n", what, ns.median(), 100 * ns.relative_spread(), as);
}

} // namespace

int run_synchronisation(const SynchronisationOptions& options) {
    Samples barrier;
    Samples hop;
    for (int round = 0; round < options.rounds; ++round) {
        barrier.add(barriers_ns());
        hop.add(hop_ns());
    }
    const double share = waiting_cpu_share();
    if (shmem::my_pe() == 0) {
        const Machine machine = describe_machine();
        fmt::print("{} PEs on {} CPUs ({})\n", shmem::n_pes(), machine.cpus, machine.cpu_model);
        print_row("barrier of all PEs", barrier, fmt::format("10,000 in {:.3f} s", barrier.median() * 1e-5));
        print_row("event, one hop of a ring", hop, fmt::format("{:.0f} hops/s", 1e9 / hop.median()));
        if (shmem::n_pes() > 1)
            fmt::print("  {:<28}{:>10.2f} %   of a CPU, the largest of {} PEs over {} s\n", "a PE that waits",
                       100 * share, shmem::n_pes() - 1, kIdleTime.count() / 1000);
    }
    shmem::barrier_all();
    return EXIT_SUCCESS;
}

} // namespace shm::bench

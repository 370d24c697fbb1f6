// SPDX-License-Identifier: Apache-2.0
#include "posix/posix.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "measure/pinned.hpp"
#include "posix/allocation.hpp"
#include "posix/job.hpp"
#include "posix/pair_run.hpp"
#include "posix/report.hpp"
#include "progress.hpp"

namespace shm::bench {

namespace {

constexpr int kBarrierRounds = 7;
constexpr int kBarriers = 1'000;

/// Why this job cannot be measured; empty when it can. The same on every PE.
std::string find_obstacle(Job& job, const PosixOptions& options) {
    int unreachable = 0;
    for (int pe = 0; pe < job.n_pes(); ++pe) {
        if (shmem_ptr(&job.area(), pe) == nullptr)
            unreachable = pe;
    }
    unreachable = job.broadcast(unreachable, 0);
    if (unreachable > 0)
        return fmt::format("PE {} is on another machine: this compares ways within one", unreachable);
    bool writable = true;
    if (job.me() == 0 && !options.json_path.empty())
        writable = std::ofstream(options.json_path, std::ios::app).good();
    if (!job.broadcast(writable, 0))
        return fmt::format("cannot write {}", options.json_path);
    return {};
}

/// Makes the transfer smaller until every PE's heap holds it; takes nothing yet.
void fit_heap(Plan& plan, std::vector<std::string>& remarks) {
    for (;;) {
        void* buffer = shmem_malloc(plan.buffer_bytes());
        if (buffer != nullptr || plan.bytes <= kLargestMessage) {
            shmem_free(buffer);
            return;
        }
        plan.bytes = plan.bytes / 2 / kSmallPage * kSmallPage;
        remarks.push_back(
            fmt::format("the transfer is only {}, because the symmetric heap has no room for more",
                        format_bytes(static_cast<double>(plan.bytes))));
    }
}

/// Brings the records of the pairs to PE 0, through symmetric memory.
class Collector {
public:
    Collector(const Job& job, const Plan& plan)
        : me_(job.me()), outcome_(static_cast<PairOutcome*>(shmem_malloc(sizeof(PairOutcome)))),
          samples_(
              static_cast<double*>(shmem_malloc(Measurements::packed_size(plan.rounds) * sizeof(double)))) {}
    ~Collector() {
        shmem_free(samples_);
        shmem_free(outcome_);
    }
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// Collective. `mine` is the record of this PE, should it be the one that has it.
    void collect(const std::optional<PairRecord>& mine, std::vector<PairRecord>& records) {
        if (mine) {
            const std::vector<double> packed = mine->samples.pack();
            shmem_putmem(outcome_, &mine->outcome, sizeof *outcome_, 0);
            shmem_putmem(samples_, packed.data(), packed.size() * sizeof(double), 0);
        }
        shmem_barrier_all();
        if (me_ == 0)
            records.push_back({*outcome_, Measurements::unpack(samples_)});
        shmem_barrier_all();
    }

private:
    int me_;
    PairOutcome* outcome_;
    double* samples_;
};

/// Each unordered pair of PEs in turn; PE 0 gets the records.
std::vector<PairRecord> measure_pairs(Job& job, const Plan& plan, std::byte* heap_buffer,
                                      Progress& progress) {
    std::vector<PairRecord> records;
    Collector collector(job, plan);
    std::optional<RingSearchResult> ring; // the first pair searches for all
    for (int sender = 0; sender < job.n_pes(); ++sender) {
        for (int receiver = sender + 1; receiver < job.n_pes(); ++receiver) {
            std::optional<PairRecord> mine;
            if (job.me() == sender || job.me() == receiver) {
                Pair pair(job, sender, receiver);
                // Left to itself, the scheduler often puts both on one CPU, and then all ways look alike.
                const Pinned pinned(pair.sends() ? 0 : 1);
                PairRecord record = PairRun(pair, plan, heap_buffer, progress).run(ring);
                if (pair.sends())
                    mine = record;
            } else {
                for (int step = PairRun::steps(plan, !ring); step > 0; --step)
                    progress.step("other pairs");
            }
            collector.collect(mine, records);
            if (!ring && plan.posix) {
                const PairOutcome first = job.me() == 0 ? records.front().outcome : PairOutcome{};
                ring = job.broadcast(RingSearchResult{first.ring, first.ring_gb_s}, 0);
            }
        }
    }
    return records;
}

/// With two PEs the barrier is measured between the other synchronisations; with more all must take part.
void measure_barrier(const Job& job, Measurements& samples) {
    for (int round = 0; round < kBarrierRounds && job.n_pes() > 2; ++round) {
        shmem_barrier_all();
        const std::int64_t start = now();
        for (int barrier = 0; barrier < kBarriers; ++barrier)
            shmem_barrier_all();
        samples.at(kBarrier, kShmem).add(static_cast<double>(now() - start) / kBarriers);
    }
}

void fill_table(PosixResult& result, const Measurements& of_all_pes) {
    if (result.pairs.size() == 1)
        result.table = result.pairs.front().samples;
    for (const PairRecord& pair : result.pairs) {
        if (result.pairs.size() > 1)
            result.table.add_medians(pair.samples);
    }
    for (int column = 0; column < kColumns; ++column) {
        const auto id = static_cast<ColumnId>(column);
        result.table.at(kAllocation, id) = of_all_pes.at(kAllocation, id);
    }
    if (result.pairs.size() > 1)
        result.table.at(kBarrier, kShmem) = of_all_pes.at(kBarrier, kShmem);
}

/// On PE 0: prints and writes the result. Returns the exit status.
int report(const PosixResult& result, const std::string& json_path) {
    print_text(result);
    if (!json_path.empty() && !write_json(result, json_path)) {
        fmt::print(stderr, "shmem-bench posix: cannot write {}\n", json_path);
        return EXIT_FAILURE;
    }
    return verified(result) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int measure(Job& job, const PosixOptions& options) {
    PosixResult result;
    std::tie(result.plan, result.remarks) = make_plan(options, job.n_pes());
    result.plan = job.broadcast(result.plan, 0);
    fit_heap(result.plan, result.remarks);
    const Plan& plan = result.plan;

    const int n_pairs = job.n_pes() * (job.n_pes() - 1) / 2;
    Progress progress(plan.allocation_rounds + PairRun::steps(plan, true) +
                          (n_pairs - 1) * PairRun::steps(plan, false),
                      job.me() == 0);
    Measurements of_all_pes;
    measure_allocation(job, plan, of_all_pes, progress);
    auto* heap_buffer = static_cast<std::byte*>(shmem_malloc(plan.buffer_bytes()));
    result.pairs = measure_pairs(job, plan, heap_buffer, progress);
    shmem_free(heap_buffer);
    measure_barrier(job, of_all_pes);
    progress.clear();

    int status = EXIT_SUCCESS;
    if (job.me() == 0) {
        fill_table(result, of_all_pes);
        result.machine = describe_machine();
        result.pes = job.pes();
        status = report(result, options.json_path);
    }
    return job.broadcast(status, 0);
}

} // namespace

int run_posix(const PosixOptions& options) {
    if (shmem_n_pes() < 2) {
        fmt::print(stderr, "shmem-bench posix: it moves data between PEs, and this job has only one.\n"
                           "Start two: shmemrun -n 2 shmem-bench posix\n");
        return EXIT_FAILURE;
    }
    Job job;
    const std::string obstacle = find_obstacle(job, options);
    if (!obstacle.empty()) {
        if (job.me() == 0)
            fmt::print(stderr, "shmem-bench posix: {}\n", obstacle);
        return EXIT_FAILURE;
    }
    return measure(job, options);
}

} // namespace shm::bench

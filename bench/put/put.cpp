// SPDX-License-Identifier: Apache-2.0
#include "put/put.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "measure/clock.hpp"
#include "measure/pinned.hpp"
#include "measure/samples.hpp"
#include "measure/spin.hpp"
#include "put/loops.hpp"
#include "shmem.hpp"

namespace shm::bench {

namespace {

constexpr std::size_t kWindowBytes = kWindowWords * sizeof(std::uint64_t);

/// A way to reach the peer's words: a row of the table, with a window to itself.
struct Way {
    const char* key;
    const char* text;
    const Loops& loops;
    Samples put = {}, get = {};
};

/// The symmetric memory of the benchmark.
struct Area {
    alignas(64) std::uint64_t windows[3][kWindowWords];
    std::atomic<int> rounds_done; // of PE 0, told to PE 1
    int wrong;                    // found by PE 1
};

double ns_per_word(std::int64_t start) {
    return static_cast<double>(now() - start) / static_cast<double>(kPasses * kWindowWords);
}

/// The last pattern that the puts of a round leave in a window.
std::uint64_t final_seed(int round, std::size_t way) {
    return 1 + static_cast<std::uint64_t>(round) * 1'000'003 + way * 17 + kPasses - 1;
}

/// On PE 0. Returns whether the gets gave what the puts had written.
bool measure(Way& way, std::uint64_t* window, std::uint64_t last_seed) {
    std::int64_t start = now();
    way.loops.put(window, 1, last_seed - (kPasses - 1));
    way.put.add(ns_per_word(start));
    shmem::quiet();
    start = now();
    const std::uint64_t sum = way.loops.get(window, 1);
    way.get.add(ns_per_word(start));
    std::uint64_t expected = 0;
    for (std::size_t index = 0; index < kWindowWords; ++index)
        expected += pattern_word(last_seed, index);
    return sum == expected * kPasses;
}

/// On PE 1, awake all the time as a PE that computes is: for a sleeping one a put takes longer.
void check_round(Area& area, int round) {
    spin_until([&] { return area.rounds_done.load(std::memory_order_acquire) > round; });
    for (std::size_t way = 0; way < std::size(area.windows); ++way)
        area.wrong += !holds_pattern(reinterpret_cast<const std::byte*>(area.windows[way]), kWindowBytes,
                                     final_seed(round, way));
}

/// Returns how many transfers were wrong, on PE 0.
int run_rounds(Way (&ways)[3], Area& area, int rounds) {
    const Pinned pinned(shmem::my_pe());
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        shmem::barrier_all();
        if (shmem::my_pe() == 1) {
            check_round(area, round);
            continue;
        }
        for (std::size_t way = 0; way < std::size(ways); ++way) {
            std::uint64_t* window = area.windows[way];
            wrong += !measure(ways[way], &ways[way].loops == &kBareLoops ? shmem::ptr(window, 1) : window,
                              final_seed(round, way));
        }
        // release: PE 1 sees the words with it.
        shmem::ptr(&area, 1)->rounds_done.store(round + 1, std::memory_order_release);
    }
    shmem::barrier_all();
    return shmem::my_pe() == 0 ? wrong + shmem::get(&area.wrong, 1) : 0;
}

void print_rows(const Way (&ways)[3], const char* what, Samples Way::*samples) {
    for (const Way& way : ways) {
        const double ns = (way.*samples).median();
        fmt::print("  {:<28}{:>8.2f} ns  ± {:.0f} %{:>10.0f} M/s\n", fmt::format("{}, {}", what, way.text),
                   ns, 100 * (way.*samples).relative_spread(), 1e3 / ns);
    }
}

bool write_json(const Way (&ways)[3], bool verified, const std::string& path) {
    nlohmann::ordered_json document = {{"benchmark", "put"}, {"library", "SHMEM " SHMEM_BENCH_VERSION}};
    for (const Way& way : ways) {
        document["summary"][fmt::format("put_8b_{}_ns", way.key)] = way.put.median();
        document["summary"][fmt::format("get_8b_{}_ns", way.key)] = way.get.median();
        document["samples"][way.key] = {{"put_ns", way.put.values()}, {"get_ns", way.get.values()}};
    }
    document["summary"]["verified"] = verified;
    std::ofstream file(path);
    file << document.dump(1) << '\n';
    file.close();
    return file.good();
}

int report(const Way (&ways)[3], int wrong, const std::string& json_path) {
    const Machine machine = describe_machine();
    fmt::print("8-byte words of a {} KiB window, from PE 0 to PE 1 ({})\n", kWindowBytes / 1024,
               machine.cpu_model);
    print_rows(ways, "put", &Way::put);
    print_rows(ways, "get", &Way::get);
    fmt::print("  {}\n", wrong == 0 ? "all data verified" : fmt::format("{} transfers were WRONG", wrong));
    if (!json_path.empty() && !write_json(ways, wrong == 0, json_path)) {
        fmt::print(stderr, "shmem-bench: cannot write {}\n", json_path);
        return EXIT_FAILURE;
    }
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int run_put(const PutOptions& options) {
    if (shmem::n_pes() != 2) {
        if (shmem::my_pe() == 0)
            fmt::print(stderr, "shmem-bench: put needs 2 PEs: shmemrun -n 2 shmem-bench put\n");
        return EXIT_FAILURE;
    }
    Way ways[] = {{"bare", "bare store or load", kBareLoops},
                  {"inline", "inline", kInlineLoops},
                  {"called", "called", kCalledLoops}};
    auto memory = shmem::symmetric<Area>(1);
    Area& area = memory[0];
    const int wrong = run_rounds(ways, area, options.rounds);
    const int status = shmem::my_pe() == 0 ? report(ways, wrong, options.json_path) : EXIT_SUCCESS;
    shmem::barrier_all();
    return status;
}

} // namespace shm::bench

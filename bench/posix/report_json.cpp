// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <nlohmann/json.hpp>

#include "copy_kinds.hpp"
#include "posix/report.hpp"
#include "posix/tuned_search.hpp"

namespace shm::bench {

namespace {

using nlohmann::ordered_json;

constexpr const char* kRowKeys[kRows] = {"allocation_ms_per_gib",
                                         "latency_8b_ns",
                                         "latency_4kib_ns",
                                         "latency_1mib_ns",
                                         "large_transfer_ns",
                                         "large_transfer_again_ns",
                                         "cpu_share_calling_thread",
                                         "cpu_share_its_process",
                                         "cpu_share_all_processes",
                                         "synchronisation_one_way_ns",
                                         "barrier_ns",
                                         "put_8b_ns"};
constexpr const char* kColumnKeys[kColumns] = {"posix", "posix_tuned", "shmem", "limit"};
constexpr const char* kTargetKeys[kCopyTargets] = {"to_private_memory_ns", "to_symmetric_heap_ns"};

ordered_json samples_json(const Measurements& samples) {
    ordered_json rows = ordered_json::object();
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            const Samples& series = samples.at(static_cast<RowId>(row), static_cast<ColumnId>(column));
            const Samples& aside = samples.set_aside(static_cast<RowId>(row), static_cast<ColumnId>(column));
            if (!series.empty())
                rows[kRowKeys[row]][kColumnKeys[column]] = series.values();
            if (!aside.empty())
                rows[kRowKeys[row]]["set_aside"][kColumnKeys[column]] = aside.values();
        }
    }
    for (std::size_t kind = 0; kind < copy_kinds().size(); ++kind) {
        for (CopyTarget target : {kToPrivate, kToHeap}) {
            const Samples& series = samples.copy(static_cast<int>(kind), target);
            if (!series.empty())
                rows["single_thread_copy"][copy_kinds()[kind].name][kTargetKeys[target]] = series.values();
        }
    }
    return rows;
}

ordered_json machine_json(const PosixResult& result) {
    const Machine& machine = result.machine;
    return {{"cpu_model", machine.cpu_model},
            {"cpus", machine.cpus},
            {"kernel", machine.kernel},
            {"memory_bytes", machine.memory_bytes},
            {"page_bytes", machine.page_bytes},
            {"last_level_cache_bytes", machine.last_level_cache_bytes},
            {"transparent_huge_pages", machine.transparent_huge_pages},
            {"transparent_huge_pages_shared_memory", machine.transparent_huge_pages_shared}};
}

ordered_json settings_json(const PosixResult& result) {
    ordered_json pes = ordered_json::array();
    for (const PeInfo& pe : result.pes)
        pes.push_back({{"cpu", pe.cpu}, {"usable_cpus", pe.usable_cpus}});
    return {{"n_pes", result.pes.size()},   {"size_bytes", result.plan.bytes},
            {"rounds", result.plan.rounds}, {"allocation_rounds", result.plan.allocation_rounds},
            {"remarks", result.remarks},    {"pes", pes}};
}

ordered_json pair_json(const PairRecord& record, const Plan& plan) {
    const PairOutcome& outcome = record.outcome;
    ordered_json pair = {{"sender", outcome.sender},
                         {"receiver", outcome.receiver},
                         {"transfers_checked", outcome.transfers_checked},
                         {"transfers_wrong", outcome.transfers_wrong},
                         {"hand_off_before_ns", outcome.hand_off_before},
                         {"hand_off_after_ns", outcome.hand_off_after},
                         {"synchronisations_measured", outcome.synchronisations},
                         {"synchronisations_set_aside", outcome.synchronisations_set_aside},
                         {"latencies_measured_again", outcome.measured_again}};
    if (plan.posix && outcome.ring.slots > 0) {
        const auto& kinds = ring_copy_kinds();
        pair["ring"] = {{"chunk_bytes", outcome.ring.chunk_bytes},
                        {"slots", outcome.ring.slots},
                        {"copy_in", kinds[outcome.ring.copy_in].name},
                        {"copy_out", kinds[outcome.ring.copy_out].name},
                        {"search_gb_s", outcome.ring_gb_s}};
    }
    pair["samples"] = samples_json(record.samples);
    return pair;
}

ordered_json number(const Summary::Figure& figure) {
    return figure ? ordered_json(*figure) : ordered_json(nullptr);
}

ordered_json summary_json(const PosixResult& result) {
    const Summary summary = summarise(result);
    return {{"ratio_posix", number(summary.ratio_posix)},
            {"ratio_posix_again", number(summary.ratio_posix_again)},
            {"ratio_posix_tuned", number(summary.ratio_posix_tuned)},
            {"of_copy_limit", number(summary.of_copy_limit)},
            {"bandwidth_gb_s", number(summary.shmem_gb_s)},
            {"bandwidth_again_gb_s", number(summary.shmem_again_gb_s)},
            {"hand_off_ns", number(summary.hand_off_ns)},
            {"event_one_way_ns", number(summary.event_one_way_ns)},
            {"barrier_ns", number(summary.barrier_ns)},
            {"put_8b_ns", number(summary.put_8b_ns)},
            {"alloc_touch_ms_per_gib", number(summary.alloc_touch_ms_per_gib)},
            {"caller_thread_cpu_share", number(summary.caller_thread_cpu_share)},
            {"verified", verified(result)},
            {"posix_gb_s", number(summary.posix_gb_s)},
            {"posix_tuned_gb_s", number(summary.tuned_gb_s)},
            {"copy_limit_gb_s", number(summary.copy_limit_gb_s)},
            {"posix_tuned_of_copy_limit", number(summary.tuned_of_copy_limit)},
            {"event_of_hand_off", number(summary.event_of_hand_off)},
            {"barrier_of_hand_off", number(summary.barrier_of_hand_off)}};
}

} // namespace

bool write_json(const PosixResult& result, const std::string& path) {
    ordered_json document = {{"benchmark", "posix"},
                             {"library", "SHMEM " SHMEM_BENCH_VERSION},
                             {"summary", summary_json(result)},
                             {"machine", machine_json(result)},
                             {"settings", settings_json(result)}};
    document["all_pes"] = samples_json(result.table);
    document["pairs"] = ordered_json::array();
    for (const PairRecord& pair : result.pairs)
        document["pairs"].push_back(pair_json(pair, result.plan));
    std::ofstream file(path);
    file << document.dump(1) << '\n';
    file.close();
    return file.good();
}

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
#include "posix/tuned_search.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "copy_kinds.hpp"
#include "measure/clock.hpp"

namespace shm::bench {

namespace {

struct Candidate {
    RingSettings settings;
    std::int64_t nanoseconds; // the best of its stage
};

struct Stage {
    std::size_t candidates;
    std::size_t bytes;
    int repetitions;
};

std::vector<Candidate> all_candidates(const Plan& plan) {
    std::vector<Candidate> candidates;
    const int kinds = static_cast<int>(ring_copy_kinds().size());
    for (std::size_t chunk = 64 << 10; chunk <= std::size_t{2} << 20; chunk *= 2) {
        for (int slots : {4, 8, 16}) {
            for (int pick = 0; pick < kinds * kinds && chunk * slots <= plan.ring_bytes; ++pick)
                candidates.push_back({{chunk, slots, pick / kinds, pick % kinds}, 0});
        }
    }
    return candidates;
}

std::vector<Stage> stages(const Plan& plan) {
    const std::size_t all = all_candidates(plan).size();
    const std::size_t short_bytes = std::min<std::size_t>(plan.bytes, std::size_t{64} << 20);
    const std::size_t middle_bytes = std::min<std::size_t>(plan.bytes, std::size_t{256} << 20);
    return {{all, short_bytes, 2},
            {std::min<std::size_t>(all, 40), middle_bytes, 2},
            {std::min<std::size_t>(all, 10), plan.bytes, 5}};
}

/// Time from the sender's start to the receiver's end; the same number on both.
std::int64_t time_transfer(Pair& pair, TunedColumn& column, const std::byte* source, std::size_t bytes) {
    pair.meet();
    const std::int64_t start = now();
    if (pair.sends())
        column.send(source, bytes);
    else
        column.receive(bytes);
    const std::int64_t mine = pair.sends() ? start : now();
    const std::int64_t theirs = pair.exchange(mine);
    return pair.sends() ? theirs - mine : mine - theirs;
}

} // namespace

RingSearchResult search_ring(Pair& pair, TunedColumn& column, const Plan& plan, const std::byte* source,
                             const std::function<void()>& step) {
    std::vector<Candidate> candidates = all_candidates(plan);
    std::size_t offset = 0; // moves on through the source, so that no trial finds its data in a cache
    for (const Stage& stage : stages(plan)) {
        candidates.resize(stage.candidates);
        for (Candidate& candidate : candidates) {
            std::vector<std::int64_t> times;
            column.use(candidate.settings);
            for (int repetition = 0; repetition < stage.repetitions; ++repetition) {
                if (offset + stage.bytes > plan.bytes)
                    offset = 0;
                times.push_back(time_transfer(pair, column, source + offset, stage.bytes));
                offset += stage.bytes;
            }
            // Not the fastest one: some rings are fast now and then.
            std::sort(times.begin(), times.end());
            candidate.nanoseconds = times[times.size() / 2];
            step();
        }
        std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return a.nanoseconds < b.nanoseconds;
        });
    }
    const Candidate& winner = candidates.front();
    return {winner.settings, static_cast<double>(plan.bytes) / static_cast<double>(winner.nanoseconds)};
}

int ring_search_steps(const Plan& plan) {
    std::size_t steps = 0;
    for (const Stage& stage : stages(plan))
        steps += stage.candidates;
    return static_cast<int>(steps);
}

std::string describe(const RingSettings& settings) {
    return fmt::format("{} KiB x {} slots, in by {}, out by {}", settings.chunk_bytes >> 10, settings.slots,
                       ring_copy_kinds()[settings.copy_in].name, ring_copy_kinds()[settings.copy_out].name);
}

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
#include "launch/arrivals.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace shm::launch {

bool Arrivals::some_living_joins() const {
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (!roster_.has_ended(pe) && roster_.phase(pe) == Phase::joined)
            return true;
    }
    return false;
}

bool Arrivals::some_missing_has_ended() const {
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.has_ended(pe) && roster_.phase(pe) == Phase::absent)
            return true;
    }
    return false;
}

std::optional<Verdict> Arrivals::look(Clock::time_point now, bool all_started, bool strangers) {
    if (roster_.arrived() == roster_.n_pes() || !some_living_joins()) {
        first_arrived_.reset();
        in_vain_since_.reset();
        return std::nullopt;
    }
    if (!first_arrived_)
        first_arrived_ = now;
    if (!some_missing_has_ended() || strangers)
        in_vain_since_.reset();
    else if (!in_vain_since_)
        in_vain_since_ = now;
    if (in_vain_since_ && now - *in_vain_since_ >= kPatience)
        return Verdict{1, line(all_started)};
    if (limit_ != Clock::duration::zero() && now - *first_arrived_ >= limit_)
        return Verdict{1, format_text("{} after {:g} s (SHMEM_START_TIMEOUT)", line(all_started),
                                      std::chrono::duration<double>(limit_).count())};
    return std::nullopt;
}

std::string Arrivals::why_missing(int pe, bool all_started) const {
    if (std::optional<int> status = roster_.wait_status(pe))
        return how_it_ended(*status) + " before shmem_init";
    return all_started ? "still starting on host " + roster_.host() : "never started";
}

std::string Arrivals::line(bool all_started) const {
    std::vector<std::pair<std::string, std::vector<int>>> groups;
    for (int pe = 0; pe < roster_.n_pes(); ++pe) {
        if (roster_.phase(pe) != Phase::absent)
            continue;
        std::string why = why_missing(pe, all_started);
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == why; });
        if (group == groups.end())
            group = groups.insert(groups.end(), {std::move(why), {}});
        group->second.push_back(pe);
    }
    // Those that ended first: they are the cause.
    std::stable_partition(groups.begin(), groups.end(),
                          [this](const auto& group) { return roster_.has_ended(group.second.front()); });
    std::string missing;
    for (const auto& [why, pes] : groups)
        missing += format_text("{}{} ({})", missing.empty() ? "" : ", ", name_pes(pes), why);
    return format_text("{} of {} PEs arrived in shmem_init, missing {}", roster_.arrived(), roster_.n_pes(),
                       missing);
}

} // namespace shm::launch

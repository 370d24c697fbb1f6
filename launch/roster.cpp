// SPDX-License-Identifier: Apache-2.0
#include "launch/roster.hpp"

#include <algorithm>
#include <cstring>

#include <sys/wait.h>

#include "base/format.hpp"
#include "base/words.hpp"

namespace shm::launch {

std::string how_it_ended(int wait_status) {
    if (WIFSIGNALED(wait_status)) {
        int signal = WTERMSIG(wait_status);
        return format_text("was killed by signal {} ({})", signal, ::strsignal(signal));
    }
    return format_text("exited with status {}", WEXITSTATUS(wait_status));
}

std::string name_pes(const std::vector<int>& pes) {
    return format_text("{} {}", pes.size() == 1 ? "PE" : "PEs", number_list(pes));
}

Roster::Roster(ControlPages pages, std::string host)
    : pages_(pages), host_(std::move(host)), ends_(static_cast<std::size_t>(pages.header().n_pes)) {}

int Roster::living() const {
    return static_cast<int>(std::count(ends_.begin(), ends_.end(), std::nullopt));
}

int Roster::arrived() const {
    int count = 0;
    for (int pe = 0; pe < n_pes(); ++pe)
        count += phase(pe) != Phase::absent;
    return count;
}

bool Roster::has_left(int pe) const {
    Phase now = phase(pe);
    return now == Phase::exited || (has_ended(pe) && (now == Phase::joined || now == Phase::running));
}

bool Roster::waits(int pe) const {
    return !slot(pe).waits.all().empty();
}

bool Roster::waits_for_all(int pe) const {
    std::vector<WaitView> waits = slot(pe).waits.all();
    return std::any_of(waits.begin(), waits.end(),
                       [](const WaitView& view) { return view.what == WaitsFor::all_pes; });
}

std::string Roster::name(int pe) const {
    return format_text("PE {} on {}", pe, host_);
}

} // namespace shm::launch

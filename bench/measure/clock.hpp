// SPDX-License-Identifier: Apache-2.0
// Wall clock and CPU clocks, in nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>
#include <time.h>

namespace shm::bench {

inline std::int64_t read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Wall time; the same clock in every process of the machine.
inline std::int64_t now() {
    return read_clock(CLOCK_MONOTONIC);
}

/// CPU time used up to now.
struct CpuTime {
    std::int64_t thread;  // of the calling thread
    std::int64_t process; // of its process, all threads
    std::int64_t all;     // of all processes of the job
};

/// Reads the CPU time of this process and of the other processes of the job, whatever they are doing.
class CpuClock {
public:
    explicit CpuClock(const std::vector<pid_t>& processes) {
        for (pid_t process : processes) {
            clockid_t clock{};
            if (clock_getcpuclockid(process, &clock) == 0)
                clocks_.push_back(clock);
        }
    }

    CpuTime read() const {
        CpuTime time{read_clock(CLOCK_THREAD_CPUTIME_ID), read_clock(CLOCK_PROCESS_CPUTIME_ID), 0};
        for (clockid_t clock : clocks_)
            time.all += read_clock(clock);
        return time;
    }

private:
    std::vector<clockid_t> clocks_;
};

} // namespace shm::bench

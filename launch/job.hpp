// SPDX-License-Identifier: Apache-2.0
// Job: looks after the PEs from their start to the last process that they leave behind.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <poll.h>

#include "core/wait_table.hpp"
#include "launch/arrivals.hpp"
#include "launch/input.hpp"
#include "launch/judge.hpp"
#include "launch/options.hpp"
#include "launch/output_stream.hpp"
#include "launch/progress.hpp"
#include "launch/roster.hpp"
#include "launch/signals.hpp"
#include "launch/start.hpp"

namespace shm::launch {

/// What a job has beside its PEs. All that is referred to outlives the Job.
struct JobContext {
    const Options& options;
    const Settings& settings;
    Signals& signals;
    pid_t guard; // a child of the launcher that is no PE; 0: there is none
    const File& node_file;
    ControlPages pages;
    bool one_output; // as the PEs were started
};

class Job {
public:
    Job(const JobContext& context, StartedJob started);

    /// Returns the launcher's status when every process of the job has ended and all output is written.
    int run();

private:
    /// A PE's output on its way to one of the launcher's streams.
    struct Channel {
        int pe;
        File source;
        OutputStream* stream;
        Clock::time_point touched; // when its last bytes came
    };
    struct Pe {
        pid_t process; // what was launched; it leads the PE's process group
        File life_line;
        bool launched = true;  // it still runs
        pid_t left_behind = 0; // else: the process of the PE that it left behind (as setsid does), or 0
        std::optional<Clock::time_point>
            gone_since{}; // its process, below what was launched, is not there any more
        Clock::time_point ended_at{};
        bool ended_absent = false; // before the PE called shmem_init
        bool lives() const { return launched || left_behind != 0; }
    };
    enum Watched : std::size_t {
        signal_source,
        start_failures,
        out_stream,
        error_stream,
        typed_input,
        pe_input,
        first_channel
    };

    /// For PEs whose job has failed: what they still do is of little use.
    static constexpr std::chrono::milliseconds kShortGrace{700};

    // The loop.
    void wait_for_something();
    void prepare_polls();
    int milliseconds_to_wait(Clock::time_point now) const;
    void handle_ready();
    void handle_due(Clock::time_point now);
    bool is_over(Clock::time_point now) const;
    bool may_go_on(const Pe& pe, Clock::time_point now) const;
    bool has_to_look() const;
    Clock::time_point next_look() const;

    // Output.
    bool read_channel(Channel& channel);
    void release_idle_lines(Clock::time_point now);
    void write_stream(OutputStream& stream);
    void flush(OutputStream& stream);
    void drain();
    void tell_end();
    void say(std::string_view line);
    void tell_what_pes_do(std::string_view introduction);
    std::vector<std::string> table() const;
    /// Where the launcher's own messages go: through the stream that knows where the last line ends.
    OutputStream& messages() { return one_output_ ? out_ : error_; }

    // Signals and processes.
    void answer_signals();
    void answer(int signal);
    void stop_with_the_pes();
    void send(int signal);
    void send_to(const Pe& pe, int signal) const;
    pid_t stray_process(int pe) const;

    // Looks, from time to time.
    void look_around(Clock::time_point now);
    std::optional<Verdict> look_at_pes(Clock::time_point now);
    std::optional<Verdict> follow_left_behind();
    std::optional<Verdict> follow_wrapped(Clock::time_point now);
    void look_for_progress(Clock::time_point now);
    bool is_stranger(pid_t process) const;
    bool has_strangers() const;
    std::optional<std::chrono::nanoseconds> cpu_time_used_by(int pe) const;

    // Ends.
    void read_failures();
    void reap();
    using EndedProcesses = std::vector<std::pair<pid_t, int>>; // with how each ended, as wait() gives it
    std::optional<Verdict> take_end(pid_t process, int wait_status, const EndedProcesses& together);
    std::optional<Verdict> take_end_of(int pe, pid_t process, int wait_status);
    void end_job(Verdict verdict, int signal, Clock::duration grace);
    void end_by_limit(std::string_view what_happened);
    void kill_all();

    const Options& options_;
    Signals& signals_;
    pid_t guard_;
    Roster roster_;
    MemoryKills memory_kills_;
    Judge judge_;
    Arrivals arrivals_;
    StallWatch stalls_;
    Clock::time_point last_look_;
    WaitTable waits_;
    File failures_;
    InputRelay input_;
    bool one_output_;
    OutputStream out_, error_;
    std::vector<Pe> pes_;
    std::unordered_map<pid_t, int> pe_of_; // what was launched, while it runs
    std::vector<Channel> channels_;
    std::vector<pollfd> polls_;
    std::vector<char> piece_;
    std::optional<Verdict> verdict_;
    std::vector<std::string> details_; // lines that follow the verdict's
    int others_ = 0;                   // PEs that still ran when the verdict came
    std::optional<Clock::time_point> time_limit_, kill_at_;
    bool killed_ = false;
    bool hurry_ = false; // the user does not want to wait for output either
};

} // namespace shm::launch

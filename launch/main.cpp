// SPDX-License-Identifier: Apache-2.0
// shmemrun: starts the PEs of a job on this machine.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/job.hpp"
#include "core/node_file.hpp"
#include "launch/guard.hpp"
#include "launch/job.hpp"
#include "launch/options.hpp"
#include "launch/output_stream.hpp"
#include "launch/placement.hpp"
#include "launch/processes.hpp"
#include "launch/signals.hpp"
#include "launch/start.hpp"

namespace {

using namespace shm;
using namespace shm::launch;

/// A descriptor of the launcher's own must not get one of these numbers.
bool open_standard_descriptors() {
    for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor)
            return false;
    }
    return true;
}

/// In the place of an exception, for which there would be no memory either. The PEs end with the launcher.
[[noreturn]] void end_without_memory() {
    constexpr std::string_view kReason =
        "shmemrun: no memory is left for the launcher itself: raise the limit on addresses (ulimit -v)\n";
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, kReason.data(), kReason.size());
    ::_exit(EXIT_FAILURE);
}

/// Before the first static object takes memory.
[[gnu::constructor(101)]] void prepare_for_shortage() {
    std::set_new_handler(end_without_memory);
}

Result<int> run_job(const Options& options) {
    Signals signals;
    if (!signals.works() || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return fail("cannot watch over processes").because(system_error());
    Result<Placement> placement = place(options.bind, options.n_pes);
    if (!placement)
        return placement.error();
    Result<Settings> settings = settings_of_pes(options);
    if (!settings)
        return settings.error();
    std::uint64_t job_id = random_job_id();
    Result<Guard> guard = Guard::start(job_id);
    if (!guard)
        return fail("cannot watch over processes").because(guard.error());
    Result<File> node_file = create_node_file(options.n_pes, job_id);
    if (!node_file) {
        end_all_descendants();
        return fail("cannot make the memory that the PEs share").because(node_file.error());
    }
    bool one_output = is_same_file(STDOUT_FILENO, STDERR_FILENO);
    Result<StartedJob> started =
        start_job({options, *placement, *node_file, job_id, one_output, signals.inherited()});
    if (!started) {
        end_all_descendants();
        return started.error();
    }
    Result<ControlPages> pages = map_control_pages(*node_file);
    if (!pages) {
        end_all_descendants();
        return pages.error();
    }
    return Job({options, *settings, signals, guard->process(), *node_file, *pages, one_output},
               std::move(*started))
        .run();
}

} // namespace

int main(int argc, char** argv) {
    if (!open_standard_descriptors())
        return 1;
    std::variant<Options, int> parsed = parse_options(argc, argv);
    if (const int* status = std::get_if<int>(&parsed))
        return *status;
    Result<int> status = run_job(std::get<Options>(parsed));
    if (status)
        return *status;
    fmt::print(stderr, "shmemrun: {}\n", status.error().text());
    return 1;
}

// SPDX-License-Identifier: Apache-2.0
// shmem-bench: measures the library, and what it competes with, on this machine.
#include <CLI/CLI.hpp>

#include "posix/posix.hpp"
#include "shmem.h"
#include "synchronisation/synchronisation.hpp"

namespace {

/// Reports a request for help or a mistake in the arguments once, not once per PE.
int report_arguments(const CLI::App& app, const CLI::ParseError& error) {
    shmem_init();
    const int status = shmem_my_pe() == 0 ? app.exit(error) : error.get_exit_code();
    shmem_finalize();
    return status;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures SHMEM on this machine. Run it under the launcher: shmemrun -n 2 shmem-bench posix",
                 "shmem-bench");
    app.require_subcommand(1);

    shm::bench::PosixOptions options;
    CLI::App* posix = app.add_subcommand(
        "posix",
        "Moves data between processes through POSIX shared memory and with SHMEM, and compares both with "
        "the limit of the machine. More than 2 PEs: every pair in turn.");
    posix->add_option("--size", options.size, "Bytes of the large transfer, e.g. 256MiB (default: 1GiB)")
        ->transform(CLI::AsSizeValue(false));
    posix->add_option("--rounds", options.rounds, "Repetitions (default: 7 for 2 PEs, 3 for more)")
        ->check(CLI::Range(1, 1000));
    posix->add_option("--json", options.json_path, "Also write every sample and a summary to this file");
    shm::bench::SynchronisationOptions synchronisation_options;
    CLI::App* synchronisation = app.add_subcommand(
        "synchronisation",
        "Barriers, a ring of events and the CPU time of waiting, with as many PEs as CPUs or more.");
    synchronisation->add_option("--rounds", synchronisation_options.rounds, "Repetitions (default: 7)")
        ->check(CLI::Range(1, 1000));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return report_arguments(app, error);
    }

    shmem_init();
    const int status = *synchronisation ? shm::bench::run_synchronisation(synchronisation_options)
                                        : shm::bench::run_posix(options);
    shmem_finalize();
    return status;
}

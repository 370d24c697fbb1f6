// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace shm::bench {

namespace {

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App* app, std::string) const override {
        const std::string benchmark = app->get_parent() ? app->get_name() : "posix|put|synchronisation";
        return "Usage: shmemrun -n N shmem-bench " + benchmark + " [options]\n";
    }
};

/// Replaces 256MiB by its number of bytes.
std::string read_size(std::string& text) {
    const std::string given = text;
    try {
        if (!given.starts_with('-') && CLI::AsSizeValue(false)(text).empty())
            return {};
    } catch (const CLI::ValidationError&) { // too large a number
    }
    return "'" + given + "' is no size; give bytes, or for example 256MiB";
}

void add_rounds(CLI::App& benchmark, int& rounds, const std::string& description) {
    benchmark.add_option("--rounds", rounds, description)
        ->type_name("N")
        ->check(CLI::Range(1, 1000).description(""));
}

void add_json(CLI::App& benchmark, std::string& path) {
    benchmark.add_option("--json", path, "Also write every sample and a summary to this file")
        ->type_name("FILE");
}

CLI::App* add_benchmark(CLI::App& app, const std::string& name, const std::string& description) {
    CLI::App* benchmark = app.add_subcommand(name, description)->group("Benchmarks");
    benchmark->set_help_flag("-h,--help", "Print this help and exit");
    return benchmark;
}

CLI::App* declare_posix(CLI::App& app, PosixOptions& options) {
    CLI::App* posix = add_benchmark(app, "posix",
                                    "Moves data between processes through POSIX shared memory and with\n"
                                    "SHMEM, and compares both with the limit of the machine. With more\n"
                                    "than 2 PEs: every pair in turn");
    posix->add_option("--size", options.size, "Bytes of the large transfer, e.g. 256MiB (default: 1GiB)")
        ->type_name("BYTES")
        ->transform(CLI::Validator(read_size, ""));
    add_rounds(*posix, options.rounds, "Repetitions (default: 7 for 2 PEs, 3 for more)");
    add_json(*posix, options.json_path);
    return posix;
}

CLI::App* declare_put(CLI::App& app, PutOptions& options) {
    CLI::App* put = add_benchmark(app, "put",
                                  "Puts and gets of 8 bytes, inline and called, beside bare stores and\n"
                                  "loads. Needs 2 PEs");
    add_rounds(*put, options.rounds, "Repetitions (default: 15)");
    add_json(*put, options.json_path);
    return put;
}

CLI::App* declare_synchronisation(CLI::App& app, SynchronisationOptions& options) {
    CLI::App* synchronisation =
        add_benchmark(app, "synchronisation",
                      "Barriers, a ring of events and the CPU time of waiting, with as many\n"
                      "PEs as CPUs or more");
    add_rounds(*synchronisation, options.rounds, "Repetitions (default: 7)");
    return synchronisation;
}

Answer usage_error(const std::string& reason) {
    return {kUsageStatus, "shmem-bench: " + reason + "\nTry 'shmem-bench --help'.\n"};
}

} // namespace

std::variant<Options, Answer> parse_options(int argc, char** argv) {
    CLI::App app("Measures SHMEM on this machine.", "shmem-bench");
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.set_version_flag("--version", "shmem-bench " SHMEM_BENCH_VERSION, "Print the version and exit");
    PosixOptions posix;
    PutOptions put;
    SynchronisationOptions synchronisation;
    const CLI::App* to_posix = declare_posix(app, posix);
    const CLI::App* to_put = declare_put(app, put);
    const CLI::App* to_synchronisation = declare_synchronisation(app, synchronisation);
    app.footer(
        "Each benchmark has options: shmem-bench posix --help\n"
        "The exit status is 0, 1 when data arrived wrong or nothing could be measured, 2 for wrong usage.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return Answer{0, app.help()};
    } catch (const CLI::CallForVersion& version) {
        return Answer{0, std::string(version.what()) + "\n"};
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what());
    }
    if (to_posix->parsed() + to_put->parsed() + to_synchronisation->parsed() > 1)
        return usage_error("one benchmark at a time");
    if (*to_posix)
        return posix;
    if (*to_put)
        return put;
    if (*to_synchronisation)
        return synchronisation;
    return usage_error("which benchmark? Give posix, put or synchronisation");
}

} // namespace shm::bench

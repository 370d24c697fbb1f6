// SPDX-License-Identifier: Apache-2.0
#include "launch/options.hpp"

#include <cstdlib>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/format.hpp"
#include "base/version.hpp"

namespace shm::launch {

namespace {

// Process ids end at 2^22 on every Linux.
constexpr int kMostPes = 1 << 20;

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App*, std::string) const override {
        return "Usage: shmemrun -n N [options] program [arguments ...]\n";
    }
};

void add_environment(Options& options, const std::string& assignment) {
    std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == assignment.npos)
        throw CLI::ValidationError(format_text("--env: '{}' is not of the form NAME=VALUE", assignment));
    std::string name = assignment.substr(0, equals);
    std::erase_if(options.environment, [&](const auto& earlier) { return earlier.first == name; });
    options.environment.emplace_back(std::move(name), assignment.substr(equals + 1));
}

void declare(CLI::App& app, Options& options) {
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.set_version_flag("--version", format_text("shmemrun {}", kVersion), "Print the version and exit");
    app.footer("Options end at the program's name: what follows is passed to it untouched.\n"
               "The exit status is that of the first PE to fail, 128 + n when signal n ended it,\n"
               "124 after --timeout, 126 or 127 when the program cannot be run.");
    app.add_option("-n,--pes", options.n_pes, "Number of PEs to start")
        ->type_name("N")
        ->check(CLI::Range(1, kMostPes).description(""));
    const std::map<std::string, Bind> kinds{{"none", Bind::none}, {"core", Bind::core}, {"numa", Bind::numa}};
    app.add_option_function<std::string>(
           "--bind", [&options, kinds](const std::string& kind) { options.bind = kinds.at(kind); },
           "CPUs of each PE: an equal share of adjacent cores (core), those of\n"
           "one NUMA node (numa), or all (none). Without this option: core when\n"
           "there is a CPU for each PE, else none")
        ->type_name("none|core|numa")
        ->check(CLI::IsMember({"none", "core", "numa"}).description(""));
    app.add_flag("--tag", options.tags, "Start each line of output with the number of its PE");
    app.add_option_function<double>(
           "--timeout",
           [&options](double seconds) { options.timeout = std::chrono::duration<double>(seconds); },
           "End the whole job after this time, with status 124")
        ->type_name("SECONDS")
        ->check(CLI::Range(1e-3, 1e9).description(""));
    app.add_option_function<std::vector<std::string>>(
           "--env",
           [&options](const std::vector<std::string>& assignments) {
               for (const std::string& assignment : assignments)
                   add_environment(options, assignment);
           },
           "Set an environment variable of the PEs; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app.prefix_command(); // options end at the first word that is none
}

int usage_error(const std::string& reason) {
    fmt::print(stderr, "shmemrun: {}\nTry 'shmemrun --help'.\n", reason);
    return kUsageStatus;
}

} // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "-np") // what other launchers call it
        return usage_error("there is no option -np: give the number of PEs as -n N");
    Options options;
    CLI::App app("Starts a job: N processing elements (PEs) that run the same program on this machine.",
                 "shmemrun");
    declare(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what());
    }
    options.command = app.remaining();
    bool marked = !options.command.empty() && options.command.front() == "--";
    if (marked)
        options.command.erase(options.command.begin());
    if (!marked && !options.command.empty() && options.command.front().starts_with('-'))
        return usage_error(format_text("unknown option {}", options.command.front()));
    if (options.n_pes == 0)
        return usage_error("how many PEs? Give -n N");
    if (options.command.empty())
        return usage_error("which program? Give its name after the options");
    return options;
}

Result<Settings> settings_of_pes(const Options& options) {
    return Settings::from([&options](const char* variable) -> const char* {
        for (const auto& [name, value] : options.environment) {
            if (name == variable)
                return value.c_str();
        }
        return std::getenv(variable);
    });
}

} // namespace shm::launch

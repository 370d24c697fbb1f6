// SPDX-License-Identifier: Apache-2.0
#include "launch/start.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/format.hpp"
#include "core/job.hpp"
#include "launch/child.hpp"
#include "launch/output_ends.hpp"

namespace shm::launch {

namespace {

const char* name_of(Bind bind) {
    switch (bind) {
    case Bind::core:
        return "core";
    case Bind::numa:
        return "numa";
    case Bind::none:
        break;
    }
    return "none";
}

/// The strings of an environment or a command, in the form that exec takes.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    pointers.reserve(strings.size() + 1);
    for (std::string& text : strings)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

struct Pipe {
    File reader, writer;
};

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail("cannot make a pipe").because(system_error());
    return Pipe{File(ends[0]), File(ends[1])};
}

/// Makes sure that the launcher may open the descriptors of all PEs; `inherited` is what the PEs get.
Result<void> raise_descriptor_limit(const StartOrder& order, rlimit& inherited) {
    rlim_t needed = kDescriptorsOfLauncher +
                    static_cast<rlim_t>(order.options.n_pes) * (order.one_output ? 2 : kDescriptorsOfPe);
    if (::getrlimit(RLIMIT_NOFILE, &inherited) != 0)
        return fail("cannot read the limit on descriptors").because(system_error());
    if (inherited.rlim_cur >= needed)
        return {};
    if (inherited.rlim_max < needed)
        return fail(
            "{} PEs need {} descriptors in the launcher, and its hard limit is {}: raise it (ulimit -Hn) or "
            "start fewer PEs",
            order.options.n_pes, needed, inherited.rlim_max);
    rlimit raised{needed, inherited.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) != 0)
        return fail("cannot raise the limit on descriptors").because(system_error());
    return {};
}

class Starter {
public:
    explicit Starter(const StartOrder& order) : order_(order), command_(order.options.command) {}

    Result<StartedJob> run();

private:
    Result<void> prepare();
    void prepare_environment();
    Result<void> prepare_input();
    Result<void> start_pe(int pe);
    Result<void> open_gate();
    Result<pid_t> fork_pe(int pe, const OutputEnds& output, const OutputEnds& error, const File& life);

    const StartOrder& order_;
    std::vector<std::string> command_;
    std::vector<std::string> environment_; // the last one is the PE's number
    rlimit descriptors_{};
    File life_number_; // keeps the number that the life line gets in every PE
    File no_input_;
    Pipe gate_, failures_, input_;
    StartedJob job_;
};

void Starter::prepare_environment() {
    auto is_replaced = [&](std::string_view variable) {
        auto names = [variable](std::string_view name) {
            return variable.starts_with(name) && variable.substr(name.size()).starts_with('=');
        };
        return variable.starts_with("SHMEM_JOB_") ||
               std::any_of(order_.options.environment.begin(), order_.options.environment.end(),
                           [&](const auto& assignment) { return names(assignment.first); });
    };
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (!is_replaced(*variable))
            environment_.emplace_back(*variable);
    }
    auto add = [this](std::string_view name, const auto& value) {
        environment_.push_back(format_text("{}={}", name, value));
    };
    for (const auto& [name, value] : order_.options.environment)
        add(name, value);
    add(kJobFileVariable, order_.node_file.descriptor());
    add(kJobIdVariable, format_text("{:016x}", order_.job_id));
    add(kJobLauncherVariable, ::getpid());
    add(kJobLifeVariable, life_number_.descriptor());
    add(kJobBindVariable, name_of(order_.placement.bind));
    add(kJobPeVariable, 0);
}

/// PE 0 reads the launcher's own input, but not from a terminal: its process group is not in the foreground.
Result<void> Starter::prepare_input() {
    no_input_ = File(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!no_input_)
        return fail("cannot open /dev/null").because(system_error());
    if (!::isatty(STDIN_FILENO))
        return {};
    Result<Pipe> pipe = make_pipe();
    if (!pipe)
        return pipe.error();
    input_ = std::move(*pipe);
    ::fcntl(input_.writer.descriptor(), F_SETFL, O_WRONLY | O_NONBLOCK);
    return {};
}

Result<void> Starter::prepare() {
    if (Result<void> raised = raise_descriptor_limit(order_, descriptors_); !raised)
        return raised;
    life_number_ = File(::fcntl(order_.node_file.descriptor(), F_DUPFD_CLOEXEC, 0));
    if (!life_number_)
        return fail("cannot reserve a descriptor").because(system_error());
    for (Pipe* pipe : {&gate_, &failures_}) {
        Result<Pipe> made = make_pipe();
        if (!made)
            return made.error();
        *pipe = std::move(*made);
    }
    prepare_environment();
    return prepare_input();
}

Result<pid_t> Starter::fork_pe(int pe, const OutputEnds& output, const OutputEnds& error, const File& life) {
    environment_.back() = format_text("{}={}", kJobPeVariable, pe);
    std::vector<char*> command = pointers_to(command_);
    std::vector<char*> environment = pointers_to(environment_);
    int input = no_input_.descriptor();
    if (pe == 0)
        input = input_.reader ? input_.reader.descriptor() : STDIN_FILENO;
    ChildPlan plan{};
    plan.command = command.data();
    plan.environment = environment.data();
    plan.launcher = ::getpid();
    plan.input = input;
    plan.output = output.theirs.descriptor();
    plan.error = error.theirs ? error.theirs.descriptor() : plan.output;
    plan.node_file = order_.node_file.descriptor();
    plan.life = life.descriptor();
    plan.life_number = life_number_.descriptor();
    plan.gate = gate_.reader.descriptor();
    plan.failures = failures_.writer.descriptor();
    plan.share =
        order_.placement.shares.empty() ? nullptr : &order_.placement.shares[static_cast<std::size_t>(pe)];
    plan.descriptors = &descriptors_;
    plan.signals = &order_.signals;
    return start_child(plan);
}

Result<void> Starter::start_pe(int pe) {
    Result<Pipe> life = make_pipe();
    if (!life)
        return life.error();
    Result<OutputEnds> output = open_output_ends(STDOUT_FILENO);
    if (!output)
        return output.error();
    OutputEnds error;
    if (!order_.one_output) {
        Result<OutputEnds> opened = open_output_ends(STDERR_FILENO);
        if (!opened)
            return opened.error();
        error = std::move(*opened);
    }
    Result<pid_t> process = fork_pe(pe, *output, error, life->reader);
    if (!process)
        return process.error();
    job_.pes.push_back(
        StartedPe{*process, std::move(life->writer), std::move(output->ours), std::move(error.ours)});
    return {};
}

Result<void> Starter::open_gate() {
    std::string bytes(job_.pes.size(), '\n');
    for (std::size_t done = 0; done < bytes.size();) {
        ssize_t count = ::write(gate_.writer.descriptor(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno != EINTR)
            return system_error();
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return {};
}

Result<StartedJob> Starter::run() {
    if (Result<void> prepared = prepare(); !prepared)
        return prepared.error();
    for (int pe = 0; pe < order_.options.n_pes; ++pe) {
        if (Result<void> started = start_pe(pe); !started)
            return fail("cannot start PE {} of {}", pe, order_.options.n_pes).because(started.error());
    }
    if (Result<void> opened = open_gate(); !opened)
        return fail("cannot start the PEs").because(opened.error());
    job_.failures = std::move(failures_.reader);
    ::fcntl(job_.failures.descriptor(), F_SETFL, O_RDONLY | O_NONBLOCK);
    job_.input = std::move(input_.writer);
    return std::move(job_);
}

} // namespace

Result<StartedJob> start_job(const StartOrder& order) {
    return Starter(order).run();
}

} // namespace shm::launch

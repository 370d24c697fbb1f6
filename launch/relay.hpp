// SPDX-License-Identifier: Apache-2.0
// Relay: merges the output of several PEs into one stream in which their lines never mix.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shm::launch {

class Relay {
public:
    /// A line longer than this is broken in two, so that a PE that never ends a line cannot fill memory.
    static constexpr std::size_t kLongestLine = std::size_t{64} << 20;

    struct Form {
        bool tags = false;     // each line starts with the number of its PE
        bool terminal = false; // a carriage return ends a line too: progress bars stay alive
    };

    Relay(int n_pes, Form form);

    /// Takes bytes that PE `pe` wrote and forwards the lines they complete.
    void take(int pe, std::string_view bytes);

    /// Forwards the line that PE `pe` has not ended yet: a prompt, or its last words.
    void release(int pe);

    /// Whether PE `pe` has begun a line that is not forwarded yet.
    bool holds(int pe) const { return !held_[static_cast<std::size_t>(pe)].empty(); }

    /// Forwards a line of the launcher's own.
    void say(std::string_view line);

    /// What is to be written next; consume() tells how much of it was.
    std::string_view pending() const { return std::string_view(output_).substr(start_); }
    void consume(std::size_t bytes);

private:
    static constexpr int kNobody = -1;
    static constexpr int kLauncher = -2;

    std::size_t end_of_lines(std::string_view bytes) const;
    void forward(int pe, std::string_view text);
    void append_tagged(int pe, std::string_view text);
    void start_line_of(int pe);

    Form form_;
    bool pass_through_; // with one PE and no tags there is nothing to keep apart
    std::vector<std::string> held_;
    std::string output_;
    std::size_t start_ = 0;
    int open_line_of_ = kNobody; // whose line the output ends in
    bool after_return_ = false;  // that line was last returned to its start by '\r'
};

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
#include "launch/relay.hpp"

#include <iterator>

#include <fmt/format.h>

namespace shm::launch {

namespace {

constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;

/// Length of the first line of `text` with its end, "\n", "\r" or "\r\n"; all of `text` where it has no end.
std::size_t first_line(std::string_view text, bool terminal) {
    std::size_t end = terminal ? text.find_first_of("\r\n") : text.find('\n');
    if (end == text.npos)
        return text.size();
    bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    return end + (pair ? 2 : 1);
}

} // namespace

Relay::Relay(int n_pes, Form form)
    : form_(form), pass_through_(n_pes == 1 && !form.tags), held_(static_cast<std::size_t>(n_pes)) {}

std::size_t Relay::end_of_lines(std::string_view bytes) const {
    std::size_t last = form_.terminal ? bytes.find_last_of("\r\n") : bytes.rfind('\n');
    return last == bytes.npos ? 0 : last + 1;
}

void Relay::take(int pe, std::string_view bytes) {
    if (pass_through_) {
        forward(pe, bytes);
        return;
    }
    std::string& held = held_[static_cast<std::size_t>(pe)];
    std::size_t complete = end_of_lines(bytes);
    if (complete > 0) {
        held.append(bytes.substr(0, complete));
        release(pe);
    }
    held.append(bytes.substr(complete));
    if (held.size() > kLongestLine) {
        held += '\n';
        release(pe);
    }
}

void Relay::release(int pe) {
    std::string& held = held_[static_cast<std::size_t>(pe)];
    forward(pe, held);
    held.clear();
    if (held.capacity() > kKeptCapacity)
        held.shrink_to_fit();
}

void Relay::say(std::string_view line) {
    forward(kLauncher, line);
    forward(kLauncher, "\n");
}

void Relay::forward(int pe, std::string_view text) {
    if (text.empty())
        return;
    start_line_of(pe);
    if (form_.tags && pe != kLauncher)
        append_tagged(pe, text);
    else
        output_.append(text);
    after_return_ = text.back() == '\r';
    open_line_of_ = text.back() == '\n' ? kNobody : pe;
}

void Relay::start_line_of(int pe) {
    if (open_line_of_ == kNobody || open_line_of_ == pe)
        return;
    output_ += '\n';
    open_line_of_ = kNobody;
}

void Relay::append_tagged(int pe, std::string_view text) {
    bool at_start = open_line_of_ == kNobody || (form_.terminal && after_return_);
    while (!text.empty()) {
        std::size_t length = first_line(text, form_.terminal);
        if (at_start)
            fmt::format_to(std::back_inserter(output_), "[{}] ", pe);
        output_.append(text.substr(0, length));
        text.remove_prefix(length);
        at_start = true;
    }
}

void Relay::consume(std::size_t bytes) {
    start_ += bytes;
    if (start_ == output_.size()) {
        output_.clear();
        start_ = 0;
        if (output_.capacity() > kKeptCapacity)
            output_.shrink_to_fit();
    } else if (start_ > kKeptCapacity && start_ > output_.size() / 2) {
        output_.erase(0, start_);
        start_ = 0;
    }
}

} // namespace shm::launch

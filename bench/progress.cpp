// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

#include "measure/clock.hpp"

namespace shm::bench {

namespace {

constexpr int kBarCells = 32;
constexpr std::int64_t kRedrawInterval = 50'000'000; // nanoseconds

} // namespace

Progress::Progress(int steps, bool wanted)
    : steps_(std::max(steps, 1)), shown_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    clear();
}

void Progress::step(const std::string& what) {
    done_ = std::min(done_ + 1, steps_);
    const std::int64_t time = now();
    if (!shown_ || time - last_drawn_ < kRedrawInterval)
        return;
    last_drawn_ = time;
    const int full = done_ * kBarCells / steps_;
    std::string bar;
    for (int cell = 0; cell < kBarCells; ++cell)
        bar += cell < full ? "█" : "░";
    const std::string text = fmt::format(" {:3} %  {:.40}", done_ * 100 / steps_, what);
    const int width = kBarCells + static_cast<int>(text.size());
    draw(bar + text + std::string(std::max(width_ - width, 0), ' '));
    width_ = width;
}

void Progress::clear() {
    if (width_ == 0)
        return;
    draw(std::string(width_, ' '));
    width_ = 0;
}

/// The carriage return comes last: what relays our output line by line then passes each state on at once.
void Progress::draw(const std::string& line) {
    fmt::print(stderr, "{}\r", line);
    std::fflush(stderr);
}

} // namespace shm::bench

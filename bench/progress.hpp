// SPDX-License-Identifier: Apache-2.0
// A progress bar on the terminal; nothing at all where the standard error stream is none.
#pragma once

#include <cstdint>
#include <string>

namespace shm::bench {

class Progress {
public:
    /// Shown only when `wanted` and standard error is a terminal.
    Progress(int steps, bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// One more step is done; `what` names the work that goes on now.
    void step(const std::string& what);

    /// Takes the bar off the screen.
    void clear();

private:
    void draw(const std::string& line);

    int steps_;
    int done_ = 0;
    bool shown_;
    std::int64_t last_drawn_ = 0;
    int width_ = 0; // of the line that stands on the screen
};

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
// Signals of the launcher as something to poll.
#pragma once

#include <csignal>
#include <optional>

#include "base/file.hpp"

namespace shm::launch {

class Signals {
public:
    /// Blocks the signals that a job's launcher answers, except those that its own parent had it ignore (as
    /// nohup does), and lets writes to a stream without readers fail instead of ending the launcher.
    Signals();

    bool works() const { return static_cast<bool>(source_); }
    int descriptor() const { return source_.descriptor(); }
    /// The next signal that arrived; nothing when there is none.
    std::optional<int> next();

    /// The signal mask that the launcher was started with: that of the PEs.
    const sigset_t& inherited() const { return inherited_; }

private:
    sigset_t inherited_;
    File source_;
};

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// InputRelay: passes what is typed on the launcher's terminal to PE 0, which may not read it itself because
// its process group is not in the foreground.
#pragma once

#include <string>

#include "base/file.hpp"

namespace shm::launch {

class InputRelay {
public:
    /// `destination` is the non-blocking write end of PE 0's input; not open where there is nothing to relay.
    explicit InputRelay(File destination) : destination_(std::move(destination)) {}

    bool is_open() const { return static_cast<bool>(destination_); }
    /// What to wait for; -1 where nothing is.
    int readable_descriptor() const;
    int writable_descriptor() const;
    /// The launcher may be put in the foreground without being told.
    bool waits_for_foreground() const;

    void read_some();
    void write_some();

private:
    File destination_;
    std::string typed_; // not passed on yet
};

} // namespace shm::launch

// SPDX-License-Identifier: Apache-2.0
// OutputStream: one of the launcher's own output streams, and what the PEs want to be written to it.
#pragma once

#include "launch/relay.hpp"

namespace shm::launch {

class OutputStream {
public:
    /// `descriptor` is the launcher's, and stays open as long as this object lives.
    OutputStream(int descriptor, int n_pes, bool tags);

    int descriptor() const { return descriptor_; }
    bool is_terminal() const { return terminal_; }
    Relay& relay() { return relay_; }

    bool wants_to_write() const { return !relay_.pending().empty(); }
    /// So much is waiting to be written that the PEs have to wait.
    bool is_full() const { return relay_.pending().size() > kEnoughPending; }

    /// Writes what can be written without waiting for a reader. 0, or why it failed (EPIPE: there is no
    /// reader any more); from then on everything is dropped.
    int write_some();

private:
    static constexpr std::size_t kEnoughPending = std::size_t{1} << 20;

    bool can_write() const;
    void drop_all();

    int descriptor_;
    bool terminal_;
    bool regular_; // a file never lets its writers wait
    bool broken_ = false;
    Relay relay_;
};

/// Whether both descriptors lead to the same file, pipe or terminal.
bool is_same_file(int one, int other);

} // namespace shm::launch

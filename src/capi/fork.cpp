// SPDX-License-Identifier: Apache-2.0
#include "capi/fork.hpp"

#include <utility>

#include <pthread.h>

#include "capi/inline_code.hpp"
#include "capi/instance.hpp"

namespace shm::capi {
namespace {

Runtime* of_parent = nullptr; // in a child

// Nothing is unmapped: the child may go on reading what the PE had there.
void leave_to_parent() {
    if (instance)
        of_parent = std::exchange(instance, nullptr);
    forbid_inline_code();
}

} // namespace

void watch_forks() {
    static const int watching = ::pthread_atfork(nullptr, nullptr, leave_to_parent);
    static_cast<void>(watching);
}

bool is_forked_child() {
    return of_parent != nullptr;
}

} // namespace shm::capi

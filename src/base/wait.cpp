// SPDX-License-Identifier: Apache-2.0
#include "base/wait.hpp"

#include <unistd.h>

namespace shm {

Waiter::Shown::Shown(Waiter& waiter, const WaitView& view)
    : waiter_(waiter), view_(view), told_next_(waiter.watch_from_) {
    view_.since = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
    view_.thread = ::gettid();
    record_ = waiter_.records_.begin(view_);
}

void Waiter::Shown::tell_watch() {
    Clock::duration since(static_cast<Clock::rep>(view_.since));
    Clock::duration waited = Clock::now().time_since_epoch() - since;
    if (waited >= told_next_)
        told_next_ = waiter_.watch_(view_, waited);
}

} // namespace shm

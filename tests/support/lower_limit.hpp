// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

namespace shm::test {

/// Lowers a soft limit of this process as long as it lives.
class LowerLimit {
public:
    LowerLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
        ::getrlimit(resource_, &before_);
        rlimit lower{value, before_.rlim_max};
        ::setrlimit(resource_, &lower);
    }
    LowerLimit(const LowerLimit&) = delete;
    LowerLimit& operator=(const LowerLimit&) = delete;
    ~LowerLimit() { ::setrlimit(resource_, &before_); }

private:
    __rlimit_resource resource_;
    rlimit before_{};
};

} // namespace shm::test

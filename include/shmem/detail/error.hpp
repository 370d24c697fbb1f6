// SPDX-License-Identifier: Apache-2.0
// shmem::Error, and how the C++ face turns the library's answers into it.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "shmem/detail/checked.h"

namespace shmem {

/// A mistake in a call, or something that could not be done, with the chain of reasons.
class Error : public std::exception {
public:
    explicit Error(std::vector<std::string> reasons) : reasons_(std::move(reasons)) {
        for (const std::string& reason : reasons_)
            text_ += (text_.empty() ? "" : ": ") + reason;
    }

    /// All reasons in one line, the outermost first.
    const char* what() const noexcept override { return text_.c_str(); }
    const std::vector<std::string>& reasons() const noexcept { return reasons_; }

private:
    std::vector<std::string> reasons_;
    std::string text_;
};

namespace detail {

[[noreturn]] inline void throw_error(const char* function) {
    std::vector<std::string> reasons{function};
    for (std::size_t depth = 0; const char* reason = shmemx_error_reason(depth); ++depth)
        reasons.emplace_back(reason);
    throw Error(std::move(reasons));
}

inline void check(int status, const char* function) {
    if (status != 0) [[unlikely]]
        throw_error(function);
}

} // namespace detail
} // namespace shmem

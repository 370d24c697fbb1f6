// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error: a chain of reasons, the outermost first.
#pragma once

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.hpp"

namespace shm {

class Error {
public:
    explicit Error(std::string reason) { reasons_.push_back(std::move(reason)); }

    /// The same failure with the reasons of `cause` behind its own.
    Error&& because(const Error& cause) && {
        reasons_.insert(reasons_.end(), cause.reasons_.begin(), cause.reasons_.end());
        return std::move(*this);
    }

    /// All PEs have found the same: the user is told once.
    Error&& alike_on_all_pes() && {
        alike_on_all_pes_ = true;
        return std::move(*this);
    }
    bool is_alike_on_all_pes() const { return alike_on_all_pes_; }

    const std::vector<std::string>& reasons() const { return reasons_; }

    /// All reasons in one line: "cannot start: cannot map the heap: Cannot allocate memory".
    std::string text() const { return format_text("{}", fmt::join(reasons_, ": ")); }

private:
    std::vector<std::string> reasons_;
    bool alike_on_all_pes_ = false;
};

template <typename... Arguments>
Error fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return Error(format_text(format, std::forward<Arguments>(arguments)...));
}

/// A failed system call: the reason that errno gives.
inline Error system_error(int number = errno) {
    return Error(std::strerror(number));
}

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : outcome_(std::move(value)) {}
    Result(Error error) : outcome_(std::move(error)) {}

    explicit operator bool() const { return outcome_.index() == 0; }
    T& operator*() { return *std::get_if<0>(&outcome_); }
    T* operator->() { return std::get_if<0>(&outcome_); }
    const Error& error() const { return *std::get_if<1>(&outcome_); }

private:
    std::variant<T, Error> outcome_;
};

/// Success costs one null pointer: fast enough for the path of a put.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

    explicit operator bool() const { return !error_; }
    const Error& error() const { return *error_; }

private:
    std::unique_ptr<Error> error_;
};

} // namespace shm

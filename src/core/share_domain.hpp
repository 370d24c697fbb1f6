// SPDX-License-Identifier: Apache-2.0
// ShareDomain: the PEs that share a buffer, in ascending order: {1, 0} is the same domain as {0, 1}.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace shm {

class ShareDomain {
public:
    /// The domain that PE `my_pe` names; an error when it is not in it, when a PE is named twice or does not
    /// exist, or when the list is empty. `argument` is the list's public name.
    static Result<ShareDomain> of(std::span<const int> pes, int my_pe, int n_pes,
                                  std::string_view argument = "pes");

    const std::vector<int>& pes() const { return pes_; }
    /// Who acts for all.
    int lowest() const { return pes_.front(); }
    bool contains(int pe) const;
    /// The same for the same PEs, and never 0.
    std::uint64_t hash() const;
    /// "{0-3, 7}".
    std::string text() const;

private:
    explicit ShareDomain(std::vector<int> pes) : pes_(std::move(pes)) {}

    std::vector<int> pes_;
};

} // namespace shm

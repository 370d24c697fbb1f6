// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/words.hpp"

namespace shm {

/// "64 on PE 0-2; 128 on PE 3": who has which value. `text` makes the words for a value.
template <typename Value, typename Text>
std::string by_pe(const std::map<Value, std::vector<int>>& pes_of, Text text) {
    std::string all;
    for (const auto& [value, pes] : pes_of)
        all += format_text("{}{} on PE {}", all.empty() ? "" : "; ", text(value), number_list(pes));
    return all;
}

} // namespace shm

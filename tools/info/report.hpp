// SPDX-License-Identifier: Apache-2.0
// What shmem-info has to tell, before it becomes text or JSON: both are made from the same facts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.hpp"

namespace shm::info {

using Json = nlohmann::ordered_json;

struct Fact {
    std::string key;                       // in JSON
    std::string label;                     // in text
    Json value;                            // null: there is none
    std::string text;                      // the value for people
    std::vector<std::string> remarks = {}; // what it means, or its parts; only in text
};

struct Section {
    std::string key;
    std::string title;
    std::vector<Fact> facts;
};

Fact word(std::string key, std::string label, std::string value);
/// The key gets the ending "_bytes".
Fact size(const std::string& key, std::string label, std::uint64_t bytes);
/// Something that was tried: {"works": ..., "reason": why not}. `if_missing` says what that means.
Fact attempt(std::string key, std::string label, const Result<void>& tried, std::string if_missing);

std::string to_text(const std::vector<Section>& sections);
Json to_json(const std::vector<Section>& sections);

} // namespace shm::info

// SPDX-License-Identifier: Apache-2.0
#include "info/report.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/words.hpp"

namespace shm::info {
namespace {

constexpr std::size_t kIndent = 2, kWidth = 100;

/// The words of `text`, in lines that fit behind an indentation.
std::string wrapped(const std::string& text, std::size_t indent) {
    std::string lines, line;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) {
            lines += fmt::format("{:{}}{}\n", "", indent, line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return lines + fmt::format("{:{}}{}\n", "", indent, line);
}

} // namespace

Fact word(std::string key, std::string label, std::string value) {
    return {std::move(key), std::move(label), value, value};
}

Fact size(const std::string& key, std::string label, std::uint64_t bytes) {
    return {key + "_bytes", std::move(label), bytes, bytes_text(bytes)};
}

Fact attempt(std::string key, std::string label, const Result<void>& tried, std::string if_missing) {
    if (tried)
        return {std::move(key), std::move(label), {{"works", true}}, "works"};
    std::string reason = tried.error().text();
    return {std::move(key),
            std::move(label),
            {{"works", false}, {"reason", reason}},
            "missing: " + reason,
            {std::move(if_missing)}};
}

std::string to_text(const std::vector<Section>& sections) {
    std::string text;
    for (const Section& section : sections) {
        text += (text.empty() ? "" : "\n") + section.title + "\n";
        std::size_t column = 0;
        for (const Fact& fact : section.facts)
            column = std::max(column, fact.label.size() + 2);
        for (const Fact& fact : section.facts) {
            text += fmt::format("{:{}}{:{}}{}\n", "", kIndent, fact.label, column, fact.text);
            for (const std::string& remark : fact.remarks)
                text += wrapped(remark, 3 * kIndent);
        }
    }
    return text;
}

Json to_json(const std::vector<Section>& sections) {
    Json all = Json::object();
    for (const Section& section : sections) {
        Json& object = all[section.key] = Json::object();
        for (const Fact& fact : section.facts)
            object[fact.key] = fact.value;
    }
    return all;
}

} // namespace shm::info

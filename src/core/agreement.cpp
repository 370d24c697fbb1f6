// SPDX-License-Identifier: Apache-2.0
#include "core/agreement.hpp"

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/by_pe.hpp"

namespace shm {
namespace {

template <std::size_t size>
void copy_text(char (&to)[size], std::string_view from) {
    std::size_t length = std::min(from.size(), size - 1);
    std::memcpy(to, from.data(), length);
    to[length] = 0;
}

std::string value_text(const CollectiveCall::Argument& argument, std::uint64_t value) {
    return argument.base != 0 ? format_text("{:#x}", argument.base + value) : format_text("{}", value);
}

} // namespace

void Agreement::publish(const CollectiveCall& mine, std::uint64_t round) {
    CallRecord& record = records_of_(my_pe_).in_turn[round % 2];
    record.round = round;
    copy_text(record.call, mine.function);
    for (std::size_t i = 0; i < CallRecord::kArguments; ++i)
        record.arguments[i] = mine.arguments[i].value;
    record.able = mine.able;
    record.left = mine.left.bytes;
    record.limit = mine.left.limit;
    copy_text(record.limit_name, mine.left.name);
}

Result<bool> Agreement::meet(const CollectiveCall& mine) {
    std::uint64_t round = barrier_.next_round();
    publish(mine, round);
    barrier_.wait(mine.function);
    if (auto same = compare(mine, round); !same)
        return same.error();
    for (int pe = 0; pe < n_pes_; ++pe) {
        const CallRecord& there = record(pe, round);
        if (!there.able) {
            shortage_ = {pe, {there.left, there.limit, there.limit_name}};
            return false;
        }
    }
    return true;
}

Result<void> Agreement::compare(const CollectiveCall& mine, std::uint64_t round) const {
    for (int pe = 0; pe < n_pes_; ++pe) {
        const CallRecord& there = record(pe, round);
        if (there.round != round || std::strncmp(there.call, mine.function, sizeof there.call - 1) != 0)
            return explain_other_calls(round);
    }
    for (std::size_t i = 0; i < CallRecord::kArguments; ++i)
        for (int pe = 0; pe < n_pes_; ++pe)
            if (mine.arguments[i].name && record(pe, round).arguments[i] != mine.arguments[i].value)
                return explain_argument(mine, round, i);
    return {};
}

Error Agreement::explain_other_calls(std::uint64_t round) const {
    std::map<std::string, std::vector<int>> calls;
    bool alike = true;
    for (int pe = 0; pe < n_pes_; ++pe) {
        const CallRecord& there = record(pe, round);
        // Who is in a call that needs no agreement has written no record for this round, and hears nothing.
        alike = alike && there.round == round;
        calls[there.round == round ? there.call : "another one (perhaps a barrier)"].push_back(pe);
    }
    Error error = fail("the PEs make different collective calls: {}. All PEs must make the same ones, in the "
                       "same order",
                       by_pe(calls, [](const std::string& call) { return call; }));
    return alike ? std::move(error).alike_on_all_pes() : error;
}

Error Agreement::explain_argument(const CollectiveCall& mine, std::uint64_t round,
                                  std::size_t argument) const {
    const CollectiveCall::Argument& own = mine.arguments[argument];
    std::map<std::uint64_t, std::vector<int>> values;
    for (int pe = 0; pe < n_pes_; ++pe)
        values[record(pe, round).arguments[argument]].push_back(pe);
    return fail("{} differs between PEs: {}. It must be the same on all of them", own.name,
                by_pe(values, [&own](std::uint64_t value) { return value_text(own, value); }))
        .alike_on_all_pes();
}

} // namespace shm

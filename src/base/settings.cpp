// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace shm {
namespace {

Result<void> parse_symmetric_size(std::string_view value, Settings& settings) {
    auto bytes = parse_bytes(value);
    if (!bytes)
        return bytes.error();
    settings.symmetric_size = *bytes;
    return {};
}

Result<void> parse_switch(std::string_view value, bool& on) {
    if (value != "0" && value != "1")
        return fail("it must be 0 or 1");
    on = value == "1";
    return {};
}

Result<void> parse_huge_pages(std::string_view value, Settings& settings) {
    return parse_switch(value, settings.huge_pages);
}

Result<void> parse_check(std::string_view value, Settings& settings) {
    return parse_switch(value, settings.check);
}

Result<void> parse_seconds(std::string_view value, std::chrono::milliseconds& time) {
    constexpr double kLongest = 1e9;
    double seconds = 0;
    const char* last = value.data() + value.size();
    auto [end, error] = std::from_chars(value.data(), last, seconds, std::chars_format::fixed);
    if (error != std::errc{} || end != last || !(seconds >= 0 && seconds <= kLongest))
        return fail("it must be a number of seconds, such as 30 or 0.5; 0 means no limit");
    time = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    return {};
}

Result<void> parse_timeout(std::string_view value, Settings& settings) {
    return parse_seconds(value, settings.timeout);
}

Result<void> parse_stall_report(std::string_view value, Settings& settings) {
    return parse_seconds(value, settings.stall_report);
}

Result<void> parse_start_timeout(std::string_view value, Settings& settings) {
    return parse_seconds(value, settings.start_timeout);
}

// OpenSHMEM: any value, also an empty one, means yes.
Result<void> parse_version(std::string_view, Settings& settings) {
    settings.version = true;
    return {};
}

Result<void> parse_info(std::string_view, Settings& settings) {
    settings.info = true;
    return {};
}

Result<void> parse_debug(std::string_view, Settings& settings) {
    settings.debug = true;
    return {};
}

Result<void> parse_spin_time(std::string_view value, Settings& settings) {
    std::uint32_t microseconds = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), microseconds);
    if (error != std::errc{} || end != value.data() + value.size())
        return fail("it must be a whole number of microseconds");
    settings.spin_time = std::chrono::microseconds(microseconds);
    return {};
}

constexpr Setting kTable[] = {
    {"SHMEM_SYMMETRIC_SIZE", "a number with an optional suffix k, m, g or t (powers of 1024)", "no cap",
     "Upper limit of each PE's symmetric heap. It reserves nothing: the heap takes memory as objects are "
     "allocated. Must be the same on all PEs; 0 forbids allocation.",
     parse_symmetric_size},
    {"SHMEM_HUGE_PAGES", "0 or 1", "1",
     "Whether objects of 2 MiB and more get huge pages where the kernel can make them.", parse_huge_pages},
    {"SHMEM_SPIN_TIME", "microseconds", "100",
     "How long a wait spins (or yields, with more PEs than CPUs) before it sleeps in the kernel.",
     parse_spin_time},
    {"SHMEM_CHECK", "0 or 1", "0",
     "Whether freed symmetric memory is watched: its use is then a mistake that is named, at the price of "
     "memory that is not used again at once.",
     parse_check},
    {"SHMEM_TIMEOUT", "seconds", "0",
     "Ends the job, with what every PE waits for, when no PE has made progress for this time.",
     parse_timeout},
    {"SHMEM_STALL_REPORT", "seconds", "30",
     "When no PE has made progress for this time, what every PE waits for is printed; again after twice the "
     "time, and so on. 0: never.",
     parse_stall_report},
    {"SHMEM_START_TIMEOUT", "seconds", "60",
     "How long PEs that have called shmem_init wait for the others to call it before the job ends. 0: for "
     "ever.",
     parse_start_timeout},
    {"SHMEM_VERSION", "anything", "off", "PE 0 prints the library's version at start.", parse_version},
    {"SHMEM_INFO", "anything", "off",
     "PE 0 prints all settings at start: the value, where it comes from, what it means.", parse_info},
    {"SHMEM_DEBUG", "anything", "off",
     "Every PE prints debugging messages: how it starts and ends, what it found.", parse_debug},
};

} // namespace

std::span<const Setting> settings_table() {
    return kTable;
}

Result<Settings> Settings::from(const Lookup& value_of) {
    Settings settings;
    for (const Setting& setting : kTable) {
        const char* value = value_of(std::string(setting.variable).c_str());
        if (!value)
            continue;
        if (auto parsed = setting.parse(value, settings); !parsed)
            return fail("{}={}", setting.variable, value).because(parsed.error());
    }
    return settings;
}

Result<Settings> Settings::from_environment() {
    return from(std::getenv);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    double number = 0;
    const char* last = text.data() + text.size();
    auto [end, error] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
    int power = 0;
    if (error == std::errc{} && end != last) {
        constexpr std::string_view kSuffixes = "kmgt";
        std::size_t suffix = kSuffixes.find(static_cast<char>(*end | 0x20));
        power = suffix == kSuffixes.npos ? 0 : static_cast<int>(suffix) + 1;
        if (power > 0)
            end = last; // OpenSHMEM: what follows the suffix is ignored, as in "20mb"
    }
    double bytes = std::ldexp(number, 10 * power);
    if (error != std::errc{} || end != last || !std::isfinite(number) || std::signbit(number))
        return fail(
            "it must be a non-negative number with an optional suffix k, m, g or t, such as 512m or 1.5g");
    // 2^63 is beyond every heap and still exact as a double.
    return static_cast<std::uint64_t>(std::fmin(bytes, 0x1p63));
}

} // namespace shm

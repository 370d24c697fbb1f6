// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shm {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SettingsTest : public testing::Test {
protected:
    SettingsTest() { clear(); }
    ~SettingsTest() override { clear(); }

    static void clear() {
        for (const Setting& setting : settings_table())
            ::unsetenv(std::string(setting.variable).c_str());
    }

    static Settings with(const char* variable, const char* value) {
        ::setenv(variable, value, 1);
        auto settings = Settings::from_environment();
        EXPECT_TRUE(settings) << settings.error().text();
        return settings ? *settings : Settings();
    }

    static std::string complaint(const char* variable, const char* value) {
        ::setenv(variable, value, 1);
        auto settings = Settings::from_environment();
        ::unsetenv(variable);
        return settings ? "accepted" : settings.error().text();
    }
};

TEST_F(SettingsTest, without_variables_are_the_documented_defaults) {
    auto settings = Settings::from_environment();
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->symmetric_size, Settings::kNoCap);
    EXPECT_TRUE(settings->huge_pages);
    EXPECT_EQ(settings->spin_time.count(), 100);
}

TEST_F(SettingsTest, the_values_that_rows_call_their_defaults_are) {
    Settings settings;
    settings.huge_pages = !settings.huge_pages;
    settings.spin_time += std::chrono::microseconds(1);
    for (const Setting& setting : settings_table()) {
        if (setting.otherwise == "no cap" || setting.otherwise == "off")
            continue; // a word for what no value says
        EXPECT_TRUE(setting.parse(setting.otherwise, settings)) << setting.variable;
    }
    EXPECT_EQ(settings.huge_pages, Settings().huge_pages);
    EXPECT_EQ(settings.spin_time, Settings().spin_time);
}

TEST_F(SettingsTest, every_row_explains_itself) {
    for (const Setting& setting : settings_table()) {
        EXPECT_THAT(std::string(setting.variable), StartsWith("SHMEM_"));
        EXPECT_FALSE(setting.takes.empty()) << setting.variable;
        EXPECT_FALSE(setting.otherwise.empty()) << setting.variable;
        EXPECT_FALSE(setting.meaning.empty()) << setting.variable;
    }
}

TEST_F(SettingsTest, every_row_names_itself_when_its_value_is_bad) {
    for (const Setting& setting : settings_table()) {
        if (setting.takes == "anything")
            continue;
        std::string variable(setting.variable);
        for (const char* bad : {"", "x", "-1", "1 ", "0x10", "99999999999999999999x"})
            EXPECT_THAT(complaint(variable.c_str(), bad), StartsWith(variable + "=" + bad + ": it must be"));
    }
}

TEST_F(SettingsTest, symmetric_size_is_a_cap) {
    EXPECT_EQ(with("SHMEM_SYMMETRIC_SIZE", "1.5g").symmetric_size, std::uint64_t{3} << 29);
    EXPECT_EQ(with("SHMEM_SYMMETRIC_SIZE", "0").symmetric_size, 0U);
}

TEST_F(SettingsTest, huge_pages_are_on_or_off) {
    EXPECT_FALSE(with("SHMEM_HUGE_PAGES", "0").huge_pages);
    EXPECT_TRUE(with("SHMEM_HUGE_PAGES", "1").huge_pages);
    EXPECT_THAT(complaint("SHMEM_HUGE_PAGES", "yes"), HasSubstr("0 or 1"));
    EXPECT_THAT(complaint("SHMEM_HUGE_PAGES", "2"), HasSubstr("0 or 1"));
}

TEST_F(SettingsTest, spin_time_is_in_microseconds) {
    EXPECT_EQ(with("SHMEM_SPIN_TIME", "0").spin_time.count(), 0);
    EXPECT_EQ(with("SHMEM_SPIN_TIME", "2500").spin_time.count(), 2500);
    EXPECT_THAT(complaint("SHMEM_SPIN_TIME", "1.5"), HasSubstr("whole number"));
    EXPECT_THAT(complaint("SHMEM_SPIN_TIME", "4294967296"), HasSubstr("whole number"));
}

TEST_F(SettingsTest, any_value_switches_on_what_takes_anything) {
    for (const char* value : {"", "0", "yes"}) {
        EXPECT_TRUE(with("SHMEM_VERSION", value).version);
        EXPECT_TRUE(with("SHMEM_INFO", value).info);
        EXPECT_TRUE(with("SHMEM_DEBUG", value).debug);
        clear();
    }
    EXPECT_FALSE(Settings().version || Settings().info || Settings().debug);
}

TEST_F(SettingsTest, can_come_from_elsewhere_than_the_environment) {
    ::setenv("SHMEM_SPIN_TIME", "1", 1);
    auto settings = Settings::from([](const char* variable) {
        return std::string_view(variable) == "SHMEM_SPIN_TIME" ? "77" : nullptr;
    });
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->spin_time.count(), 77);
}

struct Size {
    const char* text;
    std::uint64_t bytes;
};

class ParseBytes : public testing::TestWithParam<Size> {};

TEST_P(ParseBytes, understands) {
    auto bytes = parse_bytes(GetParam().text);
    ASSERT_TRUE(bytes) << bytes.error().text();
    EXPECT_EQ(*bytes, GetParam().bytes);
}

constexpr std::uint64_t kOne = 1;

INSTANTIATE_TEST_SUITE_P(, ParseBytes,
                         testing::Values(Size{"0", 0}, Size{"1", 1}, Size{"123456789012", 123456789012},
                                         Size{"1k", kOne << 10}, Size{"1K", kOne << 10},
                                         Size{"512m", kOne << 29}, Size{"1.5g", kOne * 3 << 29},
                                         Size{"2.5G", kOne * 5 << 29}, Size{"100T", kOne * 100 << 40},
                                         Size{"0.5k", 512}, Size{".5k", 512}, Size{"20mb", kOne * 20 << 20},
                                         Size{"20kk", kOne * 20 << 10},
                                         Size{"99999999999999999t", kOne << 63}),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(ParseBytesRefuses, what_is_no_size) {
    for (const char* bad : {"", "-1", "-0", "abc", "g", "1.5bg", "1e3", "1 k", " 1", "+1", "0x10", "1,5g",
                            "1..5", "inf", "nan", "infinity", "-inf", "."})
        EXPECT_FALSE(parse_bytes(bad)) << '"' << bad << '"';
}

} // namespace
} // namespace shm

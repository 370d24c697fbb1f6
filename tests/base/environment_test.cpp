// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <stdexcept>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> warnings(std::vector<const char*> environment) {
    environment.push_back(nullptr);
    return unknown_settings(environment.data());
}

TEST(UnknownSettings, of_no_environment_are_none) {
    EXPECT_TRUE(unknown_settings(nullptr).empty()); // as after clearenv()
}

TEST(UnknownSettings, name_what_was_probably_meant) {
    EXPECT_THAT(warnings({"SHMEM_SYMETRIC_SIZE=1g"}),
                ElementsAre("SHMEM_SYMETRIC_SIZE is not a setting of this library: did you mean "
                            "SHMEM_SYMMETRIC_SIZE?"));
    EXPECT_THAT(warnings({"SHMEM_TIMOUT=3", "SHMEM_HUGEPAGES"}),
                ElementsAre("SHMEM_TIMOUT is not a setting of this library: did you mean SHMEM_TIMEOUT?",
                            "SHMEM_HUGEPAGES is not a setting of this library: did you mean "
                            "SHMEM_HUGE_PAGES?"));
}

TEST(UnknownSettings, that_resemble_none_share_one_warning) {
    EXPECT_THAT(
        warnings({"SHMEM_BOUNCE_SIZE=1"}),
        ElementsAre("SHMEM_BOUNCE_SIZE is not a setting of this library: shmem-info lists all settings"));
    EXPECT_THAT(
        warnings({"SHMEM_BOUNCE_SIZE=1", "SHMEM_TIMOUT=3", "SHMEM_OFI_PROVIDER=x"}),
        ElementsAre("SHMEM_TIMOUT is not a setting of this library: did you mean SHMEM_TIMEOUT?",
                    "SHMEM_BOUNCE_SIZE, SHMEM_OFI_PROVIDER are not settings of this library: shmem-info "
                    "lists all settings"));
}

TEST(UnknownSettings, are_none_of_the_settings) {
    for (const Setting& setting : settings_table())
        EXPECT_THAT(warnings({(std::string(setting.variable) + "=1").c_str()}), IsEmpty());
}

TEST(UnknownSettings, are_not_what_others_own) {
    EXPECT_THAT(warnings({"SHMEM_JOB_PE=0", "SHMEM_JOB_ANYTHING=x", "SHMEM_TEST_MARK=1", "SHMEM_HOME=/opt",
                          "SHMEM_INSTALL_DIR=/opt", "SHMEM_HOME_PATH=/opt"}),
                IsEmpty());
    EXPECT_THAT(warnings({"PATH=/bin", "SMA_SYMETRIC_SIZE=1", "MY_SHMEM_TIMOUT=1", "SHMEM=1", "", "=x"}),
                IsEmpty());
}

const SettingInUse& row(const std::vector<SettingInUse>& rows, std::string_view variable) {
    for (const SettingInUse& now : rows)
        if (now.setting->variable == variable)
            return now;
    throw std::out_of_range("no such setting");
}

TEST(SettingsInUse, are_all_with_their_origin) {
    auto rows = settings_in_use([](const char* variable) {
        return std::string_view(variable) == "SHMEM_SPIN_TIME" ? "2500" : nullptr;
    });
    EXPECT_EQ(rows.size(), settings_table().size());
    EXPECT_EQ(row(rows, "SHMEM_SPIN_TIME").text(), "2500 (environment)");
    EXPECT_FALSE(row(rows, "SHMEM_SPIN_TIME").error);
    EXPECT_EQ(row(rows, "SHMEM_SYMMETRIC_SIZE").text(), "no cap (default)");
    EXPECT_FALSE(row(rows, "SHMEM_SYMMETRIC_SIZE").error);
}

TEST(SettingsInUse, say_what_is_wrong_with_a_value) {
    auto rows = settings_in_use(
        [](const char* variable) { return std::string_view(variable) == "SHMEM_CHECK" ? "maybe" : nullptr; });
    ASSERT_TRUE(row(rows, "SHMEM_CHECK").error);
    EXPECT_EQ(row(rows, "SHMEM_CHECK").error->text(), "it must be 0 or 1");
}

} // namespace
} // namespace shm

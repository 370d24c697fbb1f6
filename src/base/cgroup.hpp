// SPDX-License-Identifier: Apache-2.0
// The control groups of this process, version 1 and 2: from its own group up to the root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shm {

class Cgroup {
public:
    enum class Version { v1, v2 };

    /// The groups of `controller` ("memory", "cpu"). The arguments name other trees in tests.
    explicit Cgroup(const std::string& controller, const std::string& mount = "/sys/fs/cgroup",
                    const std::string& membership = "/proc/self/cgroup");

    struct Level {
        Version version;
        std::string folder;

        /// The number in a file of this level; nothing when there is no file or it says "max".
        std::optional<std::uint64_t> number(const std::string& file) const;
        /// The number behind `key` in a file of lines "key number".
        std::optional<std::uint64_t> number(const std::string& file, const std::string& key) const;
        /// The whole file.
        std::optional<std::string> text(const std::string& file) const;
    };

    /// The process's own group first; each group's limits hold together with those of all above it.
    const std::vector<Level>& levels() const { return levels_; }

private:
    void add_levels(Version version, const std::string& root, std::string path);

    std::vector<Level> levels_;
};

} // namespace shm

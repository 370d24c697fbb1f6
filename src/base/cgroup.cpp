// SPDX-License-Identifier: Apache-2.0
#include "base/cgroup.hpp"

#include <charconv>
#include <sstream>

#include <unistd.h>

#include "base/file.hpp"
#include "base/format.hpp"

namespace shm {
namespace {

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

std::optional<std::uint64_t> to_number(const std::string& text) {
    std::uint64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end == text.data())
        return std::nullopt;
    return number;
}

bool lists(const std::string& controllers, const std::string& controller) {
    std::istringstream stream(controllers);
    for (std::string name; std::getline(stream, name, ',');)
        if (name == controller)
            return true;
    return false;
}

} // namespace

Cgroup::Cgroup(const std::string& controller, const std::string& mount, const std::string& membership) {
    // Where there is no /proc, the roots of the mounts are all that is known; in a container these are its
    // own.
    std::istringstream lines(read_text(membership).value_or(format_text("0::/\n1:{}:/\n", controller)));
    for (std::string line; std::getline(lines, line);) {
        // "hierarchy:controllers:path"; version 2 has hierarchy 0 and no controllers.
        std::size_t first = line.find(':');
        std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        std::string controllers = line.substr(first + 1, second - first - 1);
        std::string path = line.substr(second + 1);
        if (lists(controllers, controller))
            add_levels(Version::v1, mount + "/" + controller, path);
        else if (controllers.empty())
            add_levels(Version::v2, exists(mount + "/unified") ? mount + "/unified" : mount, path);
    }
}

void Cgroup::add_levels(Version version, const std::string& root, std::string path) {
    // Inside a container the path may be the host's, with only the container's own part mounted: then the
    // root of the mount is the group.
    if (!exists(root + path))
        path.clear();
    while (!path.empty() && path != "/") {
        levels_.push_back({version, root + path});
        path.erase(path.rfind('/'));
    }
    if (exists(root))
        levels_.push_back({version, root});
}

std::optional<std::string> Cgroup::Level::text(const std::string& file) const {
    return read_text(folder + "/" + file);
}

std::optional<std::uint64_t> Cgroup::Level::number(const std::string& file) const {
    auto whole = text(file);
    return whole ? to_number(*whole) : std::nullopt;
}

std::optional<std::uint64_t> Cgroup::Level::number(const std::string& file, const std::string& key) const {
    std::istringstream lines(text(file).value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, key.size() + 1, key + " ") == 0)
            return to_number(line.substr(key.size() + 1));
    return std::nullopt;
}

} // namespace shm

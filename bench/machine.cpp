// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

namespace shm::bench {

namespace {

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The value of the first line "key ... : value", or nothing.
std::string find_value(const std::string& text, const std::string& key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (line.rfind(key, 0) == 0 && colon != std::string::npos && colon + 2 <= line.size())
            return line.substr(colon + 2);
    }
    return {};
}

/// "always [madvise] never" -> "madvise".
std::string chosen_setting(const std::string& path) {
    const std::string text = read_text(path);
    const std::size_t open = text.find('['), close = text.find(']');
    return open == std::string::npos || close == std::string::npos ? "unknown"
                                                                   : text.substr(open + 1, close - open - 1);
}

std::uint64_t meminfo_bytes(const std::string& key) {
    const std::string value = find_value(read_text("/proc/meminfo"), key);
    return value.empty() ? 0 : std::stoull(value) * 1024;
}

std::uint64_t read_number(const std::string& path, std::uint64_t otherwise) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? number : otherwise;
}

/// What the control groups (version 2) from this process's up to the root leave.
std::uint64_t control_group_room() {
    constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
    const std::string groups = read_text("/proc/self/cgroup");
    const std::size_t start = groups.find("0::/");
    if (start == std::string::npos)
        return kUnlimited;
    std::string path = groups.substr(start + 3, groups.find('\n', start) - start - 3);
    std::uint64_t room = kUnlimited;
    for (;;) {
        const std::string folder = "/sys/fs/cgroup" + path;
        const std::uint64_t limit = read_number(folder + "/memory.max", kUnlimited);
        const std::uint64_t used = read_number(folder + "/memory.current", 0);
        if (limit != kUnlimited)
            room = std::min(room, limit > used ? limit - used : 0);
        if (path.empty() || path == "/")
            return room;
        path.erase(path.rfind('/'));
    }
}

/// 0 where the kernel does not say. The highest index is the last level.
std::uint64_t last_level_cache_bytes() {
    std::uint64_t kibibytes = 0;
    for (int index = 0; index < 5; ++index)
        kibibytes =
            read_number(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index), kibibytes);
    return kibibytes * 1024;
}

} // namespace

Machine describe_machine() {
    utsname names{};
    uname(&names);
    Machine machine{};
    machine.cpu_model = find_value(read_text("/proc/cpuinfo"), "model name");
    if (machine.cpu_model.empty())
        machine.cpu_model = names.machine;
    machine.cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.kernel = std::string(names.sysname) + " " + names.release;
    machine.page_bytes = sysconf(_SC_PAGESIZE);
    machine.last_level_cache_bytes = last_level_cache_bytes();
    machine.transparent_huge_pages = chosen_setting("/sys/kernel/mm/transparent_hugepage/enabled");
    machine.transparent_huge_pages_shared =
        chosen_setting("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    machine.memory_bytes = meminfo_bytes("MemTotal");
    return machine;
}

std::uint64_t available_memory() {
    return std::min(meminfo_bytes("MemAvailable"), control_group_room());
}

std::uint64_t posix_shared_memory_room() {
    struct statvfs room {};
    return statvfs("/dev/shm", &room) == 0 ? static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize : 0;
}

} // namespace shm::bench

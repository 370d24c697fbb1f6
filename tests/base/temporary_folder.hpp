// SPDX-License-Identifier: Apache-2.0
// A folder of files that a test makes up: a tree of control groups, a /proc/meminfo.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace shm::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "shmem_test_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }

    /// Writes a file, with the folders that it lies in.
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::path file = path(name);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

private:
    std::string path_;
};

} // namespace shm::test

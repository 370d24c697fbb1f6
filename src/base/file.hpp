// SPDX-License-Identifier: Apache-2.0
// A file descriptor that closes itself, and small files read whole.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace shm {

class File {
public:
    File() = default;
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~File() {
        if (descriptor_ >= 0)
            ::close(descriptor_);
    }

    explicit operator bool() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    /// Gives the descriptor away: the caller closes it.
    int release() { return std::exchange(descriptor_, -1); }

private:
    int descriptor_ = -1;
};

/// The same file under a number above those of the standard descriptors: where a program runs with these
/// closed, what it prints must not go into a file of the library's. Not open when that fails: then errno says
/// why.
inline File above_standard_descriptors(File file) {
    if (file.descriptor() > STDERR_FILENO || !file)
        return file;
    return File(::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// The text of a small file, such as one in /proc; nothing when it cannot be read.
inline std::optional<std::string> read_text(const std::string& path) {
    File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file)
        return std::nullopt;
    std::string text;
    char piece[4096];
    for (;;) {
        ssize_t count = ::read(file.descriptor(), piece, sizeof piece);
        if (count < 0)
            return std::nullopt;
        if (count == 0)
            return text;
        text.append(piece, static_cast<std::size_t>(count));
    }
}

} // namespace shm

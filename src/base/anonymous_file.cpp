// SPDX-License-Identifier: Apache-2.0
#include "base/anonymous_file.hpp"

#include <cstdlib>
#include <limits>
#include <string>

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/log.hpp"
#include "base/words.hpp"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace shm {
namespace {

File create_memfd(const char* name) {
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    // Without the right to execute it: systems can refuse any other (vm.memfd_noexec). Old kernels do not
    // know the flag.
    int descriptor = ::memfd_create(name, kFlags | MFD_NOEXEC_SEAL);
    if (descriptor < 0 && errno == EINVAL)
        descriptor = ::memfd_create(name, kFlags);
    return above_standard_descriptors(File(descriptor));
}

struct UnnamedFile {
    File file;
    std::string folder;
    std::uint64_t room = 0;
};

/// Never gets a name either: O_EXCL forbids to give it one. Of the folders that may be on a tmpfs the one
/// with the most room; other file systems would write the memory to a disk.
UnnamedFile create_unnamed_file() {
    UnnamedFile best;
    auto from_environment = [](const char* variable) {
        const char* value = std::getenv(variable);
        return std::string(value ? value : "");
    };
    for (const std::string& folder : {std::string("/dev/shm"), from_environment("XDG_RUNTIME_DIR"),
                                      from_environment("TMPDIR"), std::string("/tmp"), std::string("/run")}) {
        if (folder.empty())
            continue;
        File file = above_standard_descriptors(
            File(::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR)));
        struct statfs system {};
        if (!file || ::fstatfs(file.descriptor(), &system) != 0 || system.f_type != TMPFS_MAGIC)
            continue;
        if (std::uint64_t room = file_system_room(file).bytes; room > best.room)
            best = {std::move(file), folder, room};
    }
    return best;
}

Result<File> create_without_memfd(const Error& refusal) {
    UnnamedFile created = create_unnamed_file();
    if (!created.file)
        return fail(
            "memfd_create is refused ({}), and none of /dev/shm, $XDG_RUNTIME_DIR, $TMPDIR, /tmp and "
            "/run is a tmpfs with room that this user can write to: allow memfd_create, or set TMPDIR "
            "to such a folder",
            refusal.text());
    log::warn(
        "memfd_create is refused ({}): the memory is an unnamed file in {} instead, which is not sealed "
        "and has room for {}",
        refusal.text(), created.folder, bytes_text(created.room));
    return std::move(created.file);
}

bool is_shortage(int error) {
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

Result<void> resize(const File& file, std::uint64_t bytes) {
    rlimit limit{};
    // Asked first: exceeding it is answered by a signal.
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
        return fail("a file of {} bytes exceeds the file size limit of {} bytes (ulimit -f)", bytes,
                    limit.rlim_cur);
    if (::ftruncate(file.descriptor(), static_cast<off_t>(bytes)) != 0)
        return fail("cannot size anonymous memory to {} bytes", bytes).because(system_error());
    return {};
}

} // namespace

Result<File> create_anonymous_file(const char* name, std::uint64_t bytes) {
    File file = create_memfd(name);
    bool sealable = static_cast<bool>(file);
    if (!sealable) {
        int error = errno;
        Error refusal = system_error(error);
        if (is_shortage(error))
            return fail("cannot create anonymous memory (memfd_create)").because(refusal);
        auto created = create_without_memfd(refusal);
        if (!created)
            return created.error();
        file = std::move(*created);
    }
    // Other users cannot reach a file without a name, except through the descriptors of a process of theirs;
    // the mode forbids it there too.
    if (::fchmod(file.descriptor(), S_IRUSR | S_IWUSR) != 0)
        return fail("cannot make anonymous memory private").because(system_error());
    if (auto resized = resize(file, bytes); !resized)
        return resized.error();
    if (sealable && ::fcntl(file.descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return fail("cannot seal anonymous memory").because(system_error());
    return file;
}

MemoryLimit file_system_room(const File& file) {
    constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
    struct statfs system {};
    if (::fstatfs(file.descriptor(), &system) != 0 || system.f_blocks == 0)
        return {kNone, kNone, "no limit of its own"};
    auto block = static_cast<std::uint64_t>(system.f_bsize);
    return {system.f_bavail * block, system.f_blocks * block, "the tmpfs that holds the job's memory"};
}

} // namespace shm

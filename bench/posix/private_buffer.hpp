// SPDX-License-Identifier: Apache-2.0
// Memory of one process, touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace shm::bench {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;
inline constexpr std::size_t kSmallPage = 4096;

/// Writes one byte in each page.
inline void touch_pages(std::byte* start, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += kSmallPage)
        static_cast<volatile std::byte*>(start)[at] = std::byte{1};
}

/// What malloc and new give, or the best that a program can ask the kernel for.
enum class Pages { ordinary, huge };

class PrivateBuffer {
public:
    PrivateBuffer(std::size_t bytes, Pages pages) {
        const std::size_t whole_pages = (bytes + kHugePage - 1) / kHugePage * kHugePage;
        start_.reset(static_cast<std::byte*>(std::aligned_alloc(kHugePage, whole_pages)));
        if (!start_)
            throw std::bad_alloc();
        if (pages == Pages::huge)
            madvise(start_.get(), whole_pages, MADV_HUGEPAGE);
        touch_pages(start_.get(), whole_pages);
    }

    std::byte* get() { return start_.get(); }

private:
    struct Free {
        void operator()(std::byte* start) const { std::free(start); }
    };
    std::unique_ptr<std::byte, Free> start_;
};

} // namespace shm::bench

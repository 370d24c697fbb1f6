// SPDX-License-Identifier: Apache-2.0
#include "core/shared_table.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

namespace shm {

class SharedTable::Lock {
public:
    explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) {
        // The owner died: the table is as before or as after its change.
        if (::pthread_mutex_lock(&mutex_) == EOWNERDEAD)
            ::pthread_mutex_consistent(&mutex_);
    }
    ~Lock() { ::pthread_mutex_unlock(&mutex_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    pthread_mutex_t& mutex_;
};

void SharedTable::initialise() {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    ::pthread_mutex_init(&mutex_, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
}

// relaxed throughout: the mutex orders the entries.
std::optional<Extent> SharedTable::place(std::uint64_t bytes, std::uint64_t alignment,
                                         std::uint64_t capacity) {
    Lock lock(mutex_);
    std::uint32_t used = used_.load(std::memory_order_relaxed);
    std::uint32_t free_entry = used;
    std::vector<Extent> extents;
    for (std::uint32_t number = used; number-- > 0;) {
        const Entry& entry = entries_[number];
        std::uint64_t end = entry.end.load(std::memory_order_relaxed);
        if (end == 0)
            free_entry = number;
        else
            extents.push_back({entry.begin.load(std::memory_order_relaxed), end});
    }
    if (free_entry == kEntries)
        return std::nullopt;
    std::sort(extents.begin(), extents.end(), [](Extent a, Extent b) { return a.begin < b.begin; });
    extents.push_back({capacity, capacity});
    std::uint64_t begin = 0;
    for (Extent extent : extents) {
        if (begin <= extent.begin && bytes <= extent.begin - begin)
            break;
        begin = round_up(extent.end, alignment);
    }
    if (begin > capacity || bytes > capacity - begin)
        return std::nullopt;
    used_.store(std::max(used, free_entry + 1), std::memory_order_relaxed);
    entries_[free_entry].begin.store(begin, std::memory_order_relaxed);
    // release: who takes over the mutex of a dead owner sees the begin too.
    entries_[free_entry].end.store(begin + bytes, std::memory_order_release);
    return Extent{begin, begin + bytes};
}

void SharedTable::remove(std::uint64_t begin) {
    Lock lock(mutex_);
    std::uint32_t used = used_.load(std::memory_order_relaxed);
    for (std::uint32_t number = 0; number < used; ++number) {
        Entry& entry = entries_[number];
        if (entry.end.load(std::memory_order_relaxed) != 0 &&
            entry.begin.load(std::memory_order_relaxed) == begin)
            entry.end.store(0, std::memory_order_relaxed);
    }
    while (used > 0 && entries_[used - 1].end.load(std::memory_order_relaxed) == 0)
        --used;
    used_.store(used, std::memory_order_relaxed);
}

} // namespace shm

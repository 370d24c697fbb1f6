// SPDX-License-Identifier: Apache-2.0
// ObjectLines: which bytes of the symmetric heap belong to objects: one byte of knowledge for each cache line
// of the heap, so that a transfer is checked against its object at the price of one load.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "base/shared_memory.hpp"

namespace shm {

/// Objects begin at a multiple of this: those of different PEs or threads never share a cache line.
inline constexpr std::uint64_t kLine = 64;

class ObjectLines {
public:
    /// For a heap of `capacity` bytes. Takes addresses, and memory only for lines that objects have.
    static Result<ObjectLines> create(std::uint64_t capacity);
    ObjectLines(ObjectLines&& other) noexcept;
    ObjectLines& operator=(ObjectLines&&) = delete;
    ~ObjectLines();

    /// Enters a new object, which begins at a multiple of kLine. False, with nothing changed, where the
    /// system refuses the memory for it.
    bool add(Extent object);
    /// Forgets an object that was entered.
    void remove(Extent object);

    /// A longer range is better looked up in the heap's map.
    static constexpr std::uint64_t kLongest = 64 << 10;

    /// Whether all of these bytes, at most kLongest, belong to one object. May be called while another thread
    /// enters or forgets other objects.
    bool hold(std::uint64_t offset, std::uint64_t bytes) const {
        if (offset >= capacity_) [[unlikely]]
            return false;
        std::uint64_t end_in_line = offset % kLine + bytes;
        std::uint64_t valid = lines_[offset / kLine] / kByte;
        if (end_in_line <= valid) [[likely]]
            return true;
        return valid == kLine && hold_on(offset / kLine + 1, end_in_line - kLine);
    }

    /// The bytes behind hold(), for those who look by themselves: one for each line, see below. Stays where
    /// it is.
    const std::uint8_t* lines() const { return lines_; }
    std::uint64_t capacity() const { return capacity_; }

private:
    // A line's byte is kByte times the number of its bytes, from its start, that belong to an object, plus
    // kBegin if an object begins there: to compare it with a multiple of kByte needs no masking.
    static constexpr std::uint8_t kBegin = 1;
    static constexpr std::uint8_t kByte = 2;
    static constexpr std::uint8_t kFull = kByte * kLine;

    ObjectLines(std::uint8_t* lines, std::uint64_t capacity) : lines_(lines), capacity_(capacity) {}
    bool hold_on(std::uint64_t line, std::uint64_t bytes) const;
    std::uint64_t n_lines() const { return capacity_ / kLine; }

    std::uint8_t* lines_;
    std::uint64_t capacity_;
    std::uint64_t writable_ = 0; // bytes of lines_
};

} // namespace shm

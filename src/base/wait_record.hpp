// SPDX-License-Identifier: Apache-2.0
// WaitRecords: what the waiting threads of a PE wait for, in shared memory, so that others can tell people.
//
// Written on the way into a sleep, never on the fast path; read by the launcher and by tools at any moment.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/wake_up.hpp"

namespace shm {

/// What ends a wait.
enum class WaitsFor : std::uint32_t { nothing, all_pes, event, word, pe };

enum class Comparison : std::uint32_t { equal, not_equal, greater, greater_equal, less, less_equal };

/// One wait, as people want to know it.
struct WaitView {
    static constexpr std::size_t kCallBytes = 56;

    char call[kCallBytes];      // the public function: "shmem_barrier_all"
    WaitsFor what;              // of these, `word` uses all that follows, `event` the position, `pe` the PE
    std::int32_t pe;            // who is waited for; -1: anybody
    Position position;          // of the word or event: see base/wake_up.hpp
    std::uint64_t address;      // of the word in the waiting PE
    std::uint64_t object_begin; // position of the allocation that the word lies in ...
    std::uint64_t object_bytes; // ... and its size; 0: not known
    Comparison comparison;      // value <comparison> wanted ends the wait
    std::uint32_t word_bytes;   // 1, 2, 4 or 8
    std::uint64_t is_signed;    // whether the word is to be read as a signed number
    std::uint64_t wanted;       // sign- or zero-extended to 64 bits
    std::uint64_t since;        // nanoseconds of CLOCK_MONOTONIC
    std::int64_t thread;        // the kernel's number of the waiting thread

    /// A wait in the public function `call`; what else there is to say of it is zero.
    static WaitView of(const char* call, WaitsFor what, Position position) {
        WaitView view{};
        std::strncpy(view.call, call, kCallBytes - 1);
        view.what = what;
        view.pe = -1;
        view.position = position;
        return view;
    }

    /// The word waited for is a `Word`; that it compares so with `other` ends the wait.
    template <typename Word>
    void until(Comparison how, Word other) {
        comparison = how;
        word_bytes = sizeof(Word);
        is_signed = std::is_signed_v<Word>;
        if constexpr (std::is_signed_v<Word>)
            wanted = static_cast<std::uint64_t>(std::int64_t{other});
        else
            wanted = other;
    }
};

/// Of one PE; all bytes zero is a valid initial state. Any thread of the PE begins and ends waits of its own;
/// any process reads.
class WaitRecords {
public:
    static constexpr int kRecords = 8; // so many waiting threads of one PE are shown; others wait unseen

    /// Shows the wait; returns its record's number for end(), -1 where all are in use.
    int begin(const WaitView& view) {
        for (int number = 0; number < kRecords; ++number) {
            Record& record = records_[static_cast<std::size_t>(number)];
            std::uint64_t state = record.state.load(std::memory_order_relaxed);
            // acquire: the words are not written before the record is this thread's.
            if (state % kStates == kFree && record.state.compare_exchange_strong(state, state + kBeingWritten,
                                                                                 std::memory_order_acquire)) {
                record.write(view);
                // release: who sees the record published sees its words.
                record.state.store(state + kPublished, std::memory_order_release);
                return number;
            }
        }
        return -1;
    }

    void end(int number) {
        if (number < 0)
            return;
        Record& record = records_[static_cast<std::size_t>(number)];
        std::uint64_t state = record.state.load(std::memory_order_relaxed);
        // release: the next owner of the record writes after this one did.
        record.state.store(state - kPublished + kStates, std::memory_order_release);
    }

    /// The wait in record `number`; nothing when there is none, or it changes just now.
    std::optional<WaitView> read(int number) const {
        const Record& record = records_[static_cast<std::size_t>(number)];
        std::uint64_t state = record.state.load(std::memory_order_acquire);
        if (state % kStates != kPublished)
            return std::nullopt;
        WaitView view = record.read();
        // relaxed: the loads of the words were acquire, so this one comes after them.
        if (record.state.load(std::memory_order_relaxed) != state)
            return std::nullopt;
        view.call[WaitView::kCallBytes - 1] = 0;
        return view;
    }

    /// All waits of the PE.
    std::vector<WaitView> all() const {
        std::vector<WaitView> views;
        for (int number = 0; number < kRecords; ++number) {
            if (std::optional<WaitView> view = read(number))
                views.push_back(*view);
        }
        return views;
    }

private:
    // The state counts its uses in the upper bits, so that a reader notices a change.
    static constexpr std::uint64_t kFree = 0, kBeingWritten = 1, kPublished = 2, kStates = 4;

    using Words = std::array<std::uint64_t, sizeof(WaitView) / sizeof(std::uint64_t)>;
    static_assert(sizeof(Words) == sizeof(WaitView));

    struct alignas(64) Record {
        std::atomic<std::uint64_t> state;
        std::array<std::atomic<std::uint64_t>, std::tuple_size_v<Words>> words;

        void write(const WaitView& view) {
            auto plain = __builtin_bit_cast(Words, view);
            // release: no word is seen before the state says that it is being written.
            for (std::size_t i = 0; i < plain.size(); ++i)
                words[i].store(plain[i], std::memory_order_release);
        }
        WaitView read() const {
            Words plain;
            for (std::size_t i = 0; i < plain.size(); ++i)
                plain[i] = words[i].load(std::memory_order_acquire);
            return __builtin_bit_cast(WaitView, plain);
        }
    };

    std::array<Record, kRecords> records_;
};

} // namespace shm

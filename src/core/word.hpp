// SPDX-License-Identifier: Apache-2.0
// Waiting for a word of the own heap that other PEs write.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/runtime.hpp"

namespace shm {

template <typename Word>
bool compares(Word value, Comparison comparison, Word other) {
    switch (comparison) {
    case Comparison::equal:
        return value == other;
    case Comparison::not_equal:
        return value != other;
    case Comparison::greater:
        return value > other;
    case Comparison::greater_equal:
        return value >= other;
    case Comparison::less:
        return value < other;
    case Comparison::less_equal:
        return value <= other;
    }
    __builtin_unreachable();
}

/// The word with everything that its writer published with it.
template <typename Word>
Word load_word(const Word* word) {
    // acquire: pairs with the release of the writer (update_signal, fence).
    return std::atomic_ref(*const_cast<Word*>(word)).load(std::memory_order_acquire);
}

/// The position of `word` when it is an aligned word of the own heap; else what is wrong, under the
/// argument's public name.
template <typename Word>
Result<Position> check_word(Runtime& runtime, std::string_view argument, const Word* word) {
    Target target;
    if (!runtime.locate(word, sizeof *word, runtime.my_pe(), target))
        return runtime.explain_misuse(argument, word, sizeof *word, runtime.my_pe());
    if (target.position % alignof(Word) != 0)
        return fail("{} = {} is not aligned: it must be a multiple of {}", argument,
                    static_cast<const void*>(word), alignof(Word));
    return target.position;
}

/// The wait in the public function `call` for the word at `position`; of which size and for what is left
/// open.
WaitView describe_word(Runtime& runtime, const char* call, const void* word, Position position);

/// Waits, in the public function `call`, until a word that check_word() found at `position` compares with
/// `other`, and returns the value that did.
template <typename Word>
Word wait_until(Runtime& runtime, const char* call, const Word* word, Position position,
                Comparison comparison, Word other) {
    Word value{};
    auto ready = [&] {
        value = load_word(word);
        return compares(value, comparison, other);
    };
    runtime.waiter().wait(position, ready, [&] {
        WaitView view = describe_word(runtime, call, word, position);
        view.until(comparison, other);
        return view;
    });
    return value;
}

} // namespace shm

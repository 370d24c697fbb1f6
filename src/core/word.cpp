// SPDX-License-Identifier: Apache-2.0
#include "core/word.hpp"

namespace shm {

WaitView describe_word(Runtime& runtime, const char* call, const void* word, Position position) {
    WaitView view = WaitView::of(call, WaitsFor::word, position);
    view.address = reinterpret_cast<std::uintptr_t>(word);
    if (std::optional<Extent> object = runtime.object_around(word, position)) {
        view.object_begin = object->begin;
        view.object_bytes = object->bytes();
    }
    return view;
}

} // namespace shm

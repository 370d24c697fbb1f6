// SPDX-License-Identifier: Apache-2.0
// Events: numbered flags of a PE that other PEs signal and it waits for. They count: two signals satisfy two
// waits.
#pragma once

#include "shmem/detail/error.hpp"

namespace shmem {

// clang-format off
/// The names of the events, for code that is written with names; any number from 0 to 63 does.
enum EventId : int {
    EVENT_ID_0, EVENT_ID_1, EVENT_ID_2, EVENT_ID_3, EVENT_ID_4, EVENT_ID_5, EVENT_ID_6, EVENT_ID_7,
    EVENT_ID_8, EVENT_ID_9, EVENT_ID_10, EVENT_ID_11, EVENT_ID_12, EVENT_ID_13, EVENT_ID_14, EVENT_ID_15,
    EVENT_ID_16, EVENT_ID_17, EVENT_ID_18, EVENT_ID_19, EVENT_ID_20, EVENT_ID_21, EVENT_ID_22, EVENT_ID_23,
    EVENT_ID_24, EVENT_ID_25, EVENT_ID_26, EVENT_ID_27, EVENT_ID_28, EVENT_ID_29, EVENT_ID_30, EVENT_ID_31,
    EVENT_ID_32, EVENT_ID_33, EVENT_ID_34, EVENT_ID_35, EVENT_ID_36, EVENT_ID_37, EVENT_ID_38, EVENT_ID_39,
    EVENT_ID_40, EVENT_ID_41, EVENT_ID_42, EVENT_ID_43, EVENT_ID_44, EVENT_ID_45, EVENT_ID_46, EVENT_ID_47,
    EVENT_ID_48, EVENT_ID_49, EVENT_ID_50, EVENT_ID_51, EVENT_ID_52, EVENT_ID_53, EVENT_ID_54, EVENT_ID_55,
    EVENT_ID_56, EVENT_ID_57, EVENT_ID_58, EVENT_ID_59, EVENT_ID_60, EVENT_ID_61, EVENT_ID_62, EVENT_ID_63,
};
// clang-format on

/// Signals event `id` of PE `pe`, which sees everything that this PE did before.
inline void signal_event(int id, int pe) {
    detail::check(shmemx_checked_signal_event(id, pe), "shmem::signal_event");
}

/// Signals event `id` of every other PE.
inline void signal_event(int id) {
    detail::check(shmemx_checked_signal_event_all(id), "shmem::signal_event");
}

/// Waits for event `id` of this PE and takes one signal of it.
inline void wait_event(int id) {
    detail::check(shmemx_checked_wait_event(id), "shmem::wait_event");
}

} // namespace shmem

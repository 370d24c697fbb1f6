// SPDX-License-Identifier: Apache-2.0
// Makes lost wake-ups fatal: sleeps in the kernel then do not look again by themselves, so that a test in
// which one wake-up is lost never ends.
#pragma once

namespace shm::test {

/// While one exists, sleeps of this process have no time limit.
class EndlessSleeps {
public:
    EndlessSleeps();
    ~EndlessSleeps();
    EndlessSleeps(const EndlessSleeps&) = delete;
    EndlessSleeps& operator=(const EndlessSleeps&) = delete;
};

} // namespace shm::test

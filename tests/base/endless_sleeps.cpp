// SPDX-License-Identifier: Apache-2.0
#include "endless_sleeps.hpp"

#include <atomic>
#include <cstdarg>

#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>

namespace {

using Function = long (*)(long, long, long, long, long, long, long);

std::atomic<bool> endless{false};
std::atomic<Function> real{nullptr};

} // namespace

// In the place of the C library's: the program is linked with it first.
extern "C" long syscall(long number, ...) {
    // Not a static local: its guard waits for another thread by this very function.
    Function function = real.load(std::memory_order_relaxed);
    if (!function) {
        function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "syscall"));
        real.store(function, std::memory_order_relaxed);
    }
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (long& argument : arguments)
        argument = va_arg(list, long);
    va_end(list);
    constexpr int kOperation = 1;
    constexpr int kTimeLimit = 3;
    if (number == SYS_futex && arguments[kOperation] == FUTEX_WAIT && endless.load())
        arguments[kTimeLimit] = 0;
    return function(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                    arguments[5]);
}

namespace shm::test {

EndlessSleeps::EndlessSleeps() {
    endless = true;
}

EndlessSleeps::~EndlessSleeps() {
    endless = false;
}

} // namespace shm::test

// SPDX-License-Identifier: Apache-2.0
#include "posix/plan.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "machine.hpp"
#include "posix/private_buffer.hpp"

namespace shm::bench {

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;
constexpr std::uint64_t kDefaultBytes = kGiB;
constexpr std::uint64_t kMostBytesOfAllPairs = 32 * kGiB; // keeps a run over many pairs short
constexpr std::uint64_t kLeastDefaultBytes = 16 * kMiB;
constexpr std::uint64_t kLargestRing = 32 * kMiB; // 16 slots of 2 MiB
constexpr std::uint64_t kLeastRoom = 8 * kMiB;    // below, the POSIX columns are left out

struct Cap {
    std::uint64_t bytes;
    std::string reason;
};

/// Every PE has the buffer in its heap; a pair has the source, two private destinations and the segment.
Cap memory_cap(int n_pes) {
    const std::uint64_t available = available_memory();
    const std::uint64_t usable = available - available / 5;
    const std::uint64_t rings = 4 * kLargestRing;
    const std::uint64_t bytes =
        usable > rings ? (usable - rings) / (static_cast<std::uint64_t>(n_pes) + 4) : 0;
    return {bytes, fmt::format("{} of memory are available to {} PEs",
                               format_bytes(static_cast<double>(available)), n_pes)};
}

Cap segment_cap(std::uint64_t room, std::uint64_t ring_bytes) {
    return {room - room / 16 - 2 * ring_bytes - 2 * kSmallPage,
            fmt::format("/dev/shm has room for {}", format_bytes(static_cast<double>(room)))};
}

} // namespace

std::pair<Plan, std::vector<std::string>> make_plan(const PosixOptions& options, int n_pes) {
    std::vector<std::string> remarks;
    const std::uint64_t pairs = static_cast<std::uint64_t>(n_pes) * (n_pes - 1) / 2;
    Plan plan{};
    plan.rounds = options.rounds > 0 ? options.rounds : pairs == 1 ? 7 : 3;
    plan.allocation_rounds = std::min(plan.rounds, pairs == 1 ? 5 : 2);
    plan.thinning = pairs == 1 ? 1 : pairs <= 28 ? 4 : 10;

    std::uint64_t bytes = options.size;
    if (bytes == 0) {
        bytes = std::clamp(kMostBytesOfAllPairs / pairs, kLeastDefaultBytes, kDefaultBytes);
        if (bytes < kDefaultBytes)
            remarks.push_back(fmt::format("less than 1 GiB per transfer, because there are {} pairs", pairs));
    }
    const std::uint64_t room = posix_shared_memory_room();
    plan.posix = room >= kLeastRoom;
    plan.ring_bytes = std::min(kLargestRing, room / 8);
    std::vector<Cap> caps{memory_cap(n_pes)};
    if (plan.posix)
        caps.push_back(segment_cap(room, plan.ring_bytes));
    else
        remarks.push_back(fmt::format("no POSIX columns: /dev/shm has room for {} only",
                                      format_bytes(static_cast<double>(room))));
    for (const Cap& cap : caps) {
        if (bytes > cap.bytes) {
            bytes = cap.bytes;
            remarks.push_back(fmt::format("the transfer is only {}, because {}",
                                          format_bytes(static_cast<double>(bytes)), cap.reason));
        }
    }
    plan.bytes = std::max<std::uint64_t>(bytes / kSmallPage, 1) * kSmallPage;
    return {plan, remarks};
}

std::string format_bytes(double bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; ++unit)
        bytes /= 1024;
    return fmt::format("{:.4g} {}", bytes, units[unit]);
}

} // namespace shm::bench

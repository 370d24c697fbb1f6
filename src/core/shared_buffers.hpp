// SPDX-License-Identifier: Apache-2.0
// SharedBuffers: one physical buffer for the PEs of a share domain, at the same address in each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "base/result.hpp"
#include "core/backend.hpp"
#include "core/domain_call.hpp"
#include "core/share_domain.hpp"
#include "core/shared_table.hpp"

namespace shm {

/// A buffer as one member has it. Valid until it is freed.
struct SharedBuffer {
    ShareDomain domain;
    std::byte* address;
    std::uint64_t bytes;
    Extent extent;                 // in the region; whole granules
    std::vector<WakeUp*> wake_ups; // of the members: who writes the buffer may write any one's word
};

class SharedBuffers {
public:
    using MemberOf = DomainCaller::MemberOf;

    /// `region` is null where the PEs of the node have no addresses in common: then every allocation is
    /// refused. All arguments outlive this object.
    SharedBuffers(SharedRegion* region, SharedTable& table, int my_pe, MemberOf member_of, Waiter& waiter);

    /// What an allocation gives: a buffer, or why no member of the domain has got one.
    using Allocation = Result<const SharedBuffer*>;

    // Under the name of the public function.

    /// Collective over the domain, by one thread at a time. The buffer is zero and its memory exists. An
    /// error when the members ask for different sizes.
    Result<Allocation> allocate(const char* call, const ShareDomain& domain, std::uint64_t bytes);
    /// Collective over the buffer's domain: waits until every member has called. An error when the members
    /// free different buffers.
    Result<void> free(const char* call, const SharedBuffer& buffer);

    /// By any thread: the buffer, of which this PE is a member, that holds this address; null when there is
    /// none.
    const SharedBuffer* find(const void* address) const;
    /// Whether this is one of its buffers, and not freed.
    bool has(const SharedBuffer* buffer) const;
    /// Whether the address lies in the region, be it in a buffer or not.
    bool in_region(const void* address) const;
    std::uint64_t offset_of(const void* address) const;

    /// When no PE uses any buffer any more: gives back the memory of those that nobody has freed.
    void clear();

private:
    DomainAnswer make(std::uint64_t bytes);
    void unmake(Extent extent);
    Extent whole_granules(std::uint64_t offset, std::uint64_t bytes) const;
    Result<Allocation> enter(const char* call, const ShareDomain& domain, std::uint64_t offset,
                             std::uint64_t bytes);

    SharedRegion* region_;
    SharedTable& table_;
    int my_pe_;
    MemberOf member_of_;
    DomainCaller caller_;
    mutable std::shared_mutex mutex_;                                // for find(), by any thread
    std::map<std::uint64_t, std::unique_ptr<SharedBuffer>> buffers_; // by offset
};

} // namespace shm

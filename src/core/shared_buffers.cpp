// SPDX-License-Identifier: Apache-2.0
#include "core/shared_buffers.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/words.hpp"

namespace shm {

SharedBuffers::SharedBuffers(SharedRegion* region, SharedTable& table, int my_pe, MemberOf member_of,
                             Waiter& waiter)
    : region_(region), table_(table), my_pe_(my_pe), member_of_(std::move(member_of)),
      caller_(my_pe, member_of_, waiter) {}

Result<SharedBuffers::Allocation> SharedBuffers::allocate(const char* call, const ShareDomain& domain,
                                                          std::uint64_t bytes) {
    DomainAnswer answer =
        caller_.call(call, domain, {0, DomainRequest::allocate, bytes, 0}, [&] { return make(bytes); });
    switch (answer.outcome) {
    case DomainAnswer::done:
        return enter(call, domain, answer.offset, bytes);
    case DomainAnswer::refused:
        return Allocation(
            fail("no shared memory for {} of the share domain {}", bytes_text(bytes), domain.text())
                .because(Error(answer.text)));
    default:
        return Error(answer.text).alike_on_all_pes();
    }
}

Result<void> SharedBuffers::free(const char* call, const SharedBuffer& buffer) {
    std::uint64_t offset = buffer.extent.begin;
    ShareDomain domain = buffer.domain;
    DomainAnswer answer = caller_.call(call, domain, {0, DomainRequest::free, 0, offset}, [&] {
        unmake(buffer.extent);
        return DomainAnswer{};
    });
    if (answer.outcome != DomainAnswer::done)
        return Error(answer.text).alike_on_all_pes();
    region_->close(buffer.extent);
    std::unique_lock lock(mutex_);
    buffers_.erase(offset);
    return {};
}

/// On the lowest PE, for all.
DomainAnswer SharedBuffers::make(std::uint64_t bytes) {
    auto refuse = [](const Error& why) { return DomainAnswer{DomainAnswer::refused, 0, why.text()}; };
    if (!region_)
        return refuse(fail("the processes of this node have no range of addresses in common"));
    if (bytes > region_->capacity())
        return refuse(
            fail("all shared buffers together can have {} on this machine", bytes_text(region_->capacity())));
    std::uint64_t granules = round_up(bytes, region_->granule());
    MemoryLimit left = region_->available();
    if (granules > left.bytes)
        return refuse(
            fail("{} are left of {} ({})", bytes_text(left.bytes), left.name, bytes_text(left.limit)));
    auto extent =
        table_.place(granules, granules >= kHugePage ? kHugePage : region_->granule(), region_->capacity());
    if (!extent)
        return refuse(
            fail("the {} for shared buffers have no free piece of that size, or {} buffers exist already",
                 bytes_text(region_->capacity()), SharedTable::kEntries));
    if (auto opened = region_->open(*extent); !opened) { // huge pages are made through the mapping
        table_.remove(extent->begin);
        return refuse(opened.error());
    }
    if (auto taken = region_->take(*extent); !taken) {
        region_->close(*extent);
        table_.remove(extent->begin);
        return refuse(taken.error());
    }
    return {DomainAnswer::done, extent->begin, ""};
}

void SharedBuffers::unmake(Extent extent) {
    region_->give_back(extent);
    table_.remove(extent.begin);
}

Extent SharedBuffers::whole_granules(std::uint64_t offset, std::uint64_t bytes) const {
    return {offset, offset + round_up(bytes, region_->granule())};
}

/// On every member: all have the buffer, or none.
Result<SharedBuffers::Allocation> SharedBuffers::enter(const char* call, const ShareDomain& domain,
                                                       std::uint64_t offset, std::uint64_t bytes) {
    Extent extent = whole_granules(offset, bytes);
    auto opened = region_->open(extent);
    DomainAnswer all = caller_.call(call, domain, {0, DomainRequest::confirm, opened ? 1U : 0U, 0}, [&] {
        return opened ? DomainAnswer{} : DomainAnswer{DomainAnswer::refused, 0, opened.error().text()};
    });
    if (all.outcome != DomainAnswer::done) {
        if (domain.lowest() == my_pe_)
            unmake(extent); // through the mapping, while it is open
        region_->close(extent);
        return Allocation(
            fail("no shared memory for {} of the share domain {}", bytes_text(bytes), domain.text())
                .because(opened ? fail("another member cannot map it") : opened.error()));
    }
    std::vector<WakeUp*> wake_ups;
    for (int pe : domain.pes())
        wake_ups.push_back(member_of_(pe).wake_up);
    auto buffer = std::make_unique<SharedBuffer>(
        SharedBuffer{domain, region_->begin() + offset, bytes, extent, std::move(wake_ups)});
    const SharedBuffer* entered = buffer.get();
    std::unique_lock lock(mutex_);
    buffers_[offset] = std::move(buffer);
    return Allocation(entered);
}

const SharedBuffer* SharedBuffers::find(const void* address) const {
    if (!in_region(address))
        return nullptr;
    std::shared_lock lock(mutex_);
    auto next = buffers_.upper_bound(offset_of(address));
    if (next == buffers_.begin())
        return nullptr;
    const SharedBuffer& buffer = *std::prev(next)->second;
    return offset_of(address) < buffer.extent.end ? &buffer : nullptr;
}

bool SharedBuffers::has(const SharedBuffer* buffer) const {
    std::shared_lock lock(mutex_);
    return std::any_of(buffers_.begin(), buffers_.end(),
                       [buffer](const auto& entry) { return entry.second.get() == buffer; });
}

bool SharedBuffers::in_region(const void* address) const {
    return region_ && offset_of(address) < region_->capacity();
}

std::uint64_t SharedBuffers::offset_of(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(region_->begin());
}

void SharedBuffers::clear() {
    std::unique_lock lock(mutex_);
    for (auto& [offset, buffer] : buffers_) {
        if (buffer->domain.lowest() == my_pe_)
            unmake(buffer->extent);
        region_->close(buffer->extent);
    }
    buffers_.clear();
}

} // namespace shm

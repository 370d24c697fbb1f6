// SPDX-License-Identifier: Apache-2.0
#include "core/domain_call.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "base/words.hpp"
#include "core/by_pe.hpp"

namespace shm {
namespace {

std::string text_of(const DomainRequest& request) {
    switch (request.kind) {
    case DomainRequest::allocate:
        return format_text("{} to allocate", bytes_text(request.bytes));
    case DomainRequest::free:
        return format_text("the buffer at offset {:#x} to free", request.offset);
    default:
        return request.bytes != 0 ? "a buffer that it has mapped" : "a buffer that it cannot map";
    }
}

} // namespace

std::uint64_t DomainRecord::ask(const DomainRequest& request) {
    auto words = __builtin_bit_cast(Words, request);
    // release: who sees a word of this request sees that the one before it is answered.
    for (std::size_t i = 0; i < words.size(); ++i)
        request_[i].store(words[i], std::memory_order_release);
    // relaxed: one writer.
    std::uint64_t number = asked_.load(std::memory_order_relaxed) + 1;
    // release: publishes the request, and all that the PE did before the call.
    asked_.store(number, std::memory_order_release);
    return number;
}

std::optional<DomainRequest> DomainRecord::pending() const {
    std::uint64_t number = asked_.load(std::memory_order_acquire);
    Words words;
    // acquire: so that the next look at answered_ cannot miss the answer to a request that is being replaced.
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = request_[i].load(std::memory_order_acquire);
    if (answered_.load(std::memory_order_acquire) == number ||
        asked_.load(std::memory_order_relaxed) != number)
        return std::nullopt;
    return __builtin_bit_cast(DomainRequest, words);
}

void DomainRecord::answer(const DomainAnswer& answer) {
    outcome_ = answer.outcome;
    offset_ = answer.offset;
    std::size_t length = std::min(answer.text.size(), sizeof text_ - 1);
    std::memcpy(text_, answer.text.data(), length);
    text_[length] = 0;
    // release: the owner sees the answer, and all that the members did before their calls.
    answered_.store(asked_.load(std::memory_order_relaxed), std::memory_order_release);
}

bool DomainRecord::is_answered(std::uint64_t number) const {
    return answered_.load(std::memory_order_acquire) == number;
}

DomainAnswer DomainRecord::take_answer() const {
    return {outcome_, offset_, text_};
}

template <typename Ready>
void DomainCaller::wait_for(int pe, const char* function, Ready ready) {
    waiter_.wait(kDomainPosition, ready, [=] {
        WaitView view = WaitView::of(function, WaitsFor::pe, kDomainPosition);
        view.pe = pe;
        return view;
    });
}

DomainAnswer DomainCaller::call(const char* function, const ShareDomain& domain, DomainRequest request,
                                const Act& act) {
    request.domain = domain.hash();
    if (domain.lowest() == my_pe_)
        return lead(function, domain, request, act);
    DomainRecord& own = *member_of_(my_pe_).record;
    std::uint64_t number = own.ask(request);
    member_of_(domain.lowest()).wake_up->notify(kDomainPosition, 1);
    wait_for(domain.lowest(), function, [&] { return own.is_answered(number); });
    return own.take_answer();
}

DomainAnswer DomainCaller::lead(const char* function, const ShareDomain& domain, const DomainRequest& own,
                                const Act& act) {
    gather(function, domain);
    auto misuse = compare(domain, own);
    DomainAnswer answer = misuse ? *misuse : act();
    for (int pe : domain.pes()) {
        if (pe == my_pe_)
            continue;
        member_of_(pe).record->answer(answer);
        member_of_(pe).wake_up->notify(kDomainPosition, 1);
    }
    return answer;
}

/// Waits until each other member's request for this domain is there.
void DomainCaller::gather(const char* function, const ShareDomain& domain) {
    std::uint64_t hash = domain.hash();
    for (int pe : domain.pes()) {
        if (pe == my_pe_)
            continue;
        const DomainRecord& record = *member_of_(pe).record;
        wait_for(pe, function, [&] {
            auto request = record.pending();
            return request && request->domain == hash;
        });
    }
}

std::optional<DomainAnswer> DomainCaller::compare(const ShareDomain& domain, const DomainRequest& own) const {
    std::map<std::string, std::vector<int>> requests;
    for (int pe : domain.pes()) {
        DomainRequest request = pe == my_pe_ ? own : *member_of_(pe).record->pending();
        requests[text_of(request)].push_back(pe);
    }
    if (requests.size() == 1)
        return std::nullopt;
    return DomainAnswer{
        DomainAnswer::misuse, 0,
        format_text("the PEs of the share domain {} ask for different things: {}. They must ask "
                    "for the same",
                    domain.text(), by_pe(requests, [](const std::string& request) { return request; }))};
}

} // namespace shm

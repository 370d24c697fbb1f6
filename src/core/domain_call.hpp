// SPDX-License-Identifier: Apache-2.0
// DomainCaller: collective calls over a share domain, any domains of a node at once.
//
// The lowest PE of a domain acts for all. Each other member leaves its request in its own record and waits
// for the answer; the lowest one waits until every member's request is there, acts, and answers each. A PE is
// in one such call at a time, so that one record is enough for all the domains that it is in.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/wait.hpp"
#include "core/share_domain.hpp"

namespace shm {

/// What a member asks for.
struct DomainRequest {
    enum Kind : std::uint64_t { allocate = 1, free = 2, confirm = 3 };
    std::uint64_t domain; // ShareDomain::hash
    std::uint64_t kind;
    std::uint64_t bytes;  // to allocate; to confirm: whether the member has it
    std::uint64_t offset; // to free
};

/// What became of it, alike on all members.
struct DomainAnswer {
    enum Outcome : std::uint64_t { done, refused, misuse };
    std::uint64_t outcome = done;
    std::uint64_t offset = 0;
    std::string text; // why it was not done
};

/// One per PE, in shared memory; all bytes zero is a valid initial state.
class DomainRecord {
public:
    /// By the PE itself. Returns the request's number.
    std::uint64_t ask(const DomainRequest& request);
    /// By any PE: the request that waits for an answer, if any.
    std::optional<DomainRequest> pending() const;
    /// By the lowest PE of the domain, once, while the request is pending.
    void answer(const DomainAnswer& answer);
    bool is_answered(std::uint64_t number) const;
    /// By the PE itself, when it is answered.
    DomainAnswer take_answer() const;

private:
    using Words = std::array<std::uint64_t, sizeof(DomainRequest) / sizeof(std::uint64_t)>;

    alignas(64) std::atomic<std::uint64_t> asked_; // number of the last request
    std::array<std::atomic<std::uint64_t>, std::tuple_size_v<Words>> request_;
    alignas(64) std::atomic<std::uint64_t> answered_; // number of the last one that was answered
    // Plain: written while the owner waits for answered_.
    std::uint64_t outcome_;
    std::uint64_t offset_;
    char text_[368];
};

/// One PE's side. One thread at a time.
class DomainCaller {
public:
    struct Member {
        DomainRecord* record;
        WakeUp* wake_up;
    };
    using MemberOf = std::function<Member(int pe)>;
    /// What the lowest PE does for all.
    using Act = std::function<DomainAnswer()>;

    DomainCaller(int my_pe, MemberOf member_of, Waiter& waiter)
        : my_pe_(my_pe), member_of_(std::move(member_of)), waiter_(waiter) {}

    /// Collective over `domain`, under the name of the public function; returns when all its members have
    /// called and the lowest one has acted. The requests must be alike; `act` is called on the lowest PE if
    /// they are.
    DomainAnswer call(const char* function, const ShareDomain& domain, DomainRequest request, const Act& act);

private:
    DomainAnswer lead(const char* function, const ShareDomain& domain, const DomainRequest& own,
                      const Act& act);
    void gather(const char* function, const ShareDomain& domain);
    template <typename Ready>
    void wait_for(int pe, const char* function, Ready ready);
    std::optional<DomainAnswer> compare(const ShareDomain& domain, const DomainRequest& own) const;

    int my_pe_;
    MemberOf member_of_;
    Waiter& waiter_;
};

} // namespace shm

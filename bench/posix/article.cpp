// SPDX-License-Identifier: Apache-2.0
// POSIX shared memory as articles show it: one segment of the whole size, the sender copies in and posts a
// semaphore, the receiver waits for it and copies out.
#include <cerrno>
#include <cstring>

#include <semaphore.h>
#include <sys/mman.h>

#include "posix/column.hpp"
#include "posix/segment.hpp"

namespace shm::bench {

namespace {

/// At the start of the segment, before the data. One semaphore per direction and purpose.
struct ArticleHeader {
    sem_t ready[2]; // data for the sender [0], for the receiver [1] of the pair
    sem_t ping[2];
};

constexpr std::size_t kHeaderBytes = kSmallPage;
static_assert(sizeof(ArticleHeader) <= kHeaderBytes);

void wait_semaphore(sem_t* semaphore) {
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
}

class ArticleColumn : public Column {
public:
    ArticleColumn(Segment segment, std::byte* destination, bool sends)
        : segment_(std::move(segment)), header_(*reinterpret_cast<ArticleHeader*>(segment_.start())),
          data_(segment_.start() + kHeaderBytes), destination_(destination), sends_(sends) {}

    void forget_pages() override {
        // The sender has made the segment and touched it: that is the row of the allocation.
        if (!sends_)
            madvise(segment_.start(), segment_.bytes(), MADV_DONTNEED);
    }

    void send(const std::byte* source, std::size_t bytes) override {
        std::memcpy(data_, source, bytes);
        sem_post(&header_.ready[sends_]);
    }

    const std::byte* receive(std::size_t bytes) override {
        wait_semaphore(&header_.ready[!sends_]);
        std::memcpy(destination_, data_, bytes);
        return destination_;
    }

    void signal() override { sem_post(&header_.ping[sends_]); }
    void await() override { wait_semaphore(&header_.ping[!sends_]); }

    void round_trips(int count) override {
        for (int trip = 0; trip < count; ++trip) {
            if (sends_)
                sem_post(&header_.ping[1]);
            wait_semaphore(&header_.ping[!sends_]);
            if (!sends_)
                sem_post(&header_.ping[0]);
        }
    }

private:
    Segment segment_;
    ArticleHeader& header_;
    std::byte* data_;
    std::byte* destination_;
    bool sends_;
};

} // namespace

std::unique_ptr<Column> make_article(Pair& pair, const Plan& plan, std::byte* destination) {
    Segment segment = Segment::create_shared(pair, kHeaderBytes + plan.bytes);
    if (!segment)
        return nullptr;
    if (pair.sends()) {
        auto* header = reinterpret_cast<ArticleHeader*>(segment.start());
        for (int direction = 0; direction < 2; ++direction) {
            sem_init(&header->ready[direction], 1, 0);
            sem_init(&header->ping[direction], 1, 0);
        }
    }
    pair.meet();
    return std::make_unique<ArticleColumn>(std::move(segment), destination, pair.sends());
}

} // namespace shm::bench

// SPDX-License-Identifier: Apache-2.0
#include "posix/pair_run.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "copy_kinds.hpp"
#include "measure/pattern.hpp"

namespace shm::bench {

namespace {

constexpr int kRoundTrips = 5'000;
constexpr int kSynchronisationsPerRound = 8; // they are short; measured in turn
constexpr int kSemaphoreRoundTrips = 500;    // each may put a CPU to sleep and wake it
constexpr int kSmallPuts = 100'000;
constexpr double kHandOffTolerance = 0.25;

struct LatencyRow {
    RowId row;
    std::size_t bytes;
    int iterations;
    int article_iterations;
};
constexpr LatencyRow kLatencyRows[] = {{kLatency8Bytes, 8, 10'000, 500},
                                       {kLatency4KiB, 4096, 5'000, 500},
                                       {kLatency1MiB, kLargestMessage, 100, 100}};

constexpr const char* kColumnNames[kColumns] = {"POSIX", "POSIX tuned", "SHMEM", "limit"};

void store_word(std::byte* at, std::uint64_t word) {
    std::memcpy(at, &word, sizeof word);
}

std::uint64_t load_word(const std::byte* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

} // namespace

PairRun::PairRun(Pair& pair, const Plan& plan, std::byte* heap_buffer, Progress& progress)
    : pair_(pair), plan_(plan), heap_buffer_(heap_buffer), progress_(progress),
      cpu_clock_(pair.job().processes()),
      source_(pair.sends() ? plan.buffer_bytes() : kLargestMessage, Pages::ordinary),
      destination_(plan.buffer_bytes(), Pages::ordinary),
      article_(plan.posix ? make_article(pair, plan, destination_.get()) : nullptr),
      ring_segment_(plan.posix ? Segment::create_shared(pair, ring_segment_bytes(plan.ring_bytes))
                               : Segment()),
      tuned_(ring_segment_ ? std::make_unique<TunedColumn>(ring_segment_.start(), plan.ring_bytes,
                                                           destination_.get(), pair.sends())
                           : nullptr),
      shmem_(make_shmem(pair, plan, heap_buffer)),
      limit_(pair), columns_{article_.get(), tuned_.get(), shmem_.get(), nullptr} {
    record_.outcome.sender = pair.sender();
    record_.outcome.receiver = pair.receiver();
}

PairRecord PairRun::run(const std::optional<RingSearchResult>& known_ring) {
    settle_ring(known_ring);
    large_round(0); // takes page faults and wakes the CPUs up; not counted
    record_.samples = {};
    record_.outcome.hand_off_before = probe_hand_off();
    for (int round = 0; round < plan_.rounds; ++round) {
        large_round(round);
        small_round();
    }
    record_.outcome.hand_off_after = probe_hand_off();
    measure_small_again_if_needed();
    settle_synchronisations();
    return record_;
}

int PairRun::steps(const Plan& plan, bool searches) {
    constexpr int kStepsPerRound = 5;
    return (searches && plan.posix ? ring_search_steps(plan) : 0) + (plan.rounds + 1) * kStepsPerRound;
}

void PairRun::settle_ring(const std::optional<RingSearchResult>& known_ring) {
    if (!tuned_)
        return;
    RingSearchResult ring{};
    if (known_ring) {
        ring = *known_ring;
    } else {
        ring = search_ring(pair_, *tuned_, plan_, source_.get(),
                           [this] { progress_.step("searching for the best ring"); });
    }
    tuned_->use(ring.settings);
    record_.outcome.ring = ring.settings;
    record_.outcome.ring_gb_s = ring.gb_s;
}

/// The columns begin in another order each round, so that none always follows the same one.
void PairRun::large_round(int round) {
    for (int turn = 0; turn < kColumns; ++turn) {
        const auto id = static_cast<ColumnId>((turn + round) % kColumns);
        if (id == kLimit)
            large_copies();
        else if (columns_[id] != nullptr)
            large_transfer(id, kTransfer);
        if (id == kShmem || (id == kArticle && article_))
            large_transfer(id, kTransferAgain);
        progress_.step("large transfers");
    }
}

void PairRun::large_transfer(ColumnId id, RowId row) {
    struct Arrival {
        std::int64_t time;
        bool right;
    };
    Column& column = *columns_[id];
    if (row == kTransfer)
        column.forget_pages();
    const std::uint64_t seed = next_seed();
    if (!pair_.sends()) {
        pair_.meet();
        const std::byte* data = column.receive(plan_.bytes);
        const std::int64_t end = now();
        column.signal();
        pair_.exchange(Arrival{end, holds_pattern(data, plan_.bytes, seed)});
        return;
    }
    fill_pattern(source_.get(), plan_.bytes, seed);
    pair_.meet();
    const CpuTime cpu_start = cpu_clock_.read();
    const std::int64_t start = now();
    column.send(source_.get(), plan_.bytes);
    column.await();
    const auto wall = static_cast<double>(now() - start);
    const CpuTime cpu_end = cpu_clock_.read();
    const Arrival arrival = pair_.exchange(Arrival{});
    add(row, id, static_cast<double>(arrival.time - start));
    if (row == kTransfer)
        add_cpu_shares(id, cpu_start, cpu_end, wall);
    check(arrival.right, "the large transfer", id);
}

/// The sender copies alone: into private memory, and into the peer's heap where SHMEM's put writes.
void PairRun::large_copies() {
    pair_.meet();
    if (pair_.sends()) {
        auto* heap = static_cast<std::byte*>(shmem_ptr(heap_buffer_, pair_.peer()));
        std::byte* const targets[kCopyTargets] = {destination_.get(), heap};
        for (int kind = 0; kind < static_cast<int>(copy_kinds().size()); ++kind) {
            for (CopyTarget target : {kToPrivate, kToHeap}) {
                const std::uint64_t seed = next_seed();
                fill_pattern(source_.get(), plan_.bytes, seed);
                const CpuTime start = cpu_clock_.read();
                const auto time =
                    static_cast<double>(time_copy(kind, targets[target], source_.get(), plan_.bytes));
                const CpuTime end = cpu_clock_.read();
                record_.samples.copy(kind, target).add(time);
                add_cpu_shares(kLimit, start, end, time);
                check(holds_pattern(targets[target], plan_.bytes, seed), copy_kinds()[kind].name, kLimit);
            }
        }
    }
    transfers_ = pair_.sends() ? transfers_ : 0;
    const std::uint64_t theirs = pair_.exchange(transfers_);
    transfers_ = pair_.sends() ? transfers_ : theirs;
}

void PairRun::add_cpu_shares(ColumnId id, const CpuTime& start, const CpuTime& end, double wall) {
    add(kCpuThread, id, static_cast<double>(end.thread - start.thread) / wall);
    add(kCpuProcess, id, static_cast<double>(end.process - start.process) / wall);
    add(kCpuAll, id, static_cast<double>(end.all - start.all) / wall);
}

void PairRun::small_round() {
    for (const LatencyRow& row : kLatencyRows) {
        for (ColumnId id : {kArticle, kTuned, kShmem}) {
            const int iterations = id == kArticle ? row.article_iterations : row.iterations;
            if (columns_[id] != nullptr)
                latency(row.row, row.bytes, std::max(iterations / plan_.thinning, 1), id);
        }
    }
    for (int time = 0; time < kSynchronisationsPerRound; ++time)
        synchronisations();
    small_puts();
    progress_.step("latencies and synchronisation");
}

/// Ping-pong. The first and the last word change with each message and are checked as it comes; the words
/// between them are checked in the last one, when time has been taken.
void PairRun::latency(RowId row, std::size_t bytes, int iterations, ColumnId id) {
    Column& column = *columns_[id];
    const std::uint64_t seed = next_seed();
    std::byte* source = source_.get();
    fill_pattern(source, bytes, seed);
    const std::byte* received = nullptr;
    bool right = true;
    const auto send = [&](int message) {
        store_word(source + bytes - 8, seed - message);
        store_word(source, seed + message);
        column.send(source, bytes);
    };
    const auto receive = [&](int message) {
        received = column.receive(bytes);
        right &= load_word(received) == seed + message;
        right &= bytes == 8 || load_word(received + bytes - 8) == seed - message;
    };
    pair_.meet();
    const std::int64_t start = now();
    for (int message = 0; message < iterations; ++message) {
        if (pair_.sends())
            send(message);
        receive(message);
        if (!pair_.sends())
            send(message);
    }
    const auto time = static_cast<double>(now() - start);
    if (bytes > 16)
        right &= holds_pattern(received + 8, bytes - 16, seed, 1);
    const bool theirs_right = pair_.exchange(right);
    add(row, id, time / (2.0 * iterations));
    check(right && theirs_right, "a small message", id);
}

void PairRun::synchronisations() {
    probed(kSynchronisation, kShmem, [this](int count) { shmem_->round_trips(count); });
    if (pair_.job().n_pes() == 2) {
        probed(kBarrier, kShmem, [](int count) {
            for (int barrier = 0; barrier < 2 * count; ++barrier)
                shmem_barrier_all();
        });
    }
    if (tuned_)
        probed(kSynchronisation, kTuned, [this](int count) { tuned_->round_trips(count); });
    if (article_) {
        const int few = std::max(kSemaphoreRoundTrips / plan_.thinning, 1);
        add(kSynchronisation, kArticle,
            time_round_trips(few, [this](int count) { article_->round_trips(count); }));
    }
}

/// The two CPUs of a virtual machine may lie nearer or farther from one moment to the next, so each
/// synchronisation is measured between two probes of the raw hand-off.
void PairRun::probed(RowId row, ColumnId id, const std::function<void(int)>& round_trips) {
    ProbedSample sample{row, id, time_hand_off(), 0, 0};
    sample.value = time_round_trips(std::max(kRoundTrips / plan_.thinning, 1), round_trips);
    sample.after = time_hand_off();
    probed_.push_back(sample);
}

/// Keeps the samples during which the hand-off was as it mostly was in this run.
void PairRun::settle_synchronisations() {
    Samples probes;
    for (const ProbedSample& sample : probed_) {
        probes.add(sample.before);
        probes.add(sample.after);
    }
    const double usual = probes.median();
    const auto is_usual = [&](double probe) { return std::abs(probe / usual - 1) <= kHandOffTolerance; };
    record_.outcome.synchronisations = static_cast<int>(probed_.size());
    for (const ProbedSample& sample : probed_) {
        if (is_usual(sample.before) && is_usual(sample.after)) {
            add(sample.row, sample.column, sample.value);
            add(kSynchronisation, kLimit, (sample.before + sample.after) / 2);
        } else {
            ++record_.outcome.synchronisations_set_aside;
            set_aside(sample);
        }
    }
    restore_empty_series();
}

void PairRun::set_aside(const ProbedSample& sample) {
    record_.samples.set_aside(sample.row, sample.column).add(sample.value);
    record_.samples.set_aside(kSynchronisation, kLimit).add((sample.before + sample.after) / 2);
}

/// In a short run all samples of a synchronisation may have been unusual; they are better than none.
void PairRun::restore_empty_series() {
    for (RowId row : {kSynchronisation, kBarrier}) {
        for (ColumnId id : {kTuned, kShmem, kLimit}) {
            Samples& kept = record_.samples.at(row, id);
            if (pair_.sends() && kept.empty())
                std::swap(kept, record_.samples.set_aside(row, id));
        }
    }
}

/// 8-byte puts back to back, over the words in turn; the last ones are checked.
void PairRun::small_puts() {
    std::uint64_t* words = pair_.job().area().words;
    constexpr int kWords = sizeof pair_.job().area().words / sizeof *words;
    const std::uint64_t seed = next_seed();
    pair_.meet();
    if (pair_.sends()) {
        const std::int64_t start = now();
        for (int put = 0; put < kSmallPuts; ++put) {
            const std::uint64_t value = seed + put;
            shmem_putmem(&words[put % kWords], &value, sizeof value, pair_.peer());
        }
        add(kPut8Bytes, kShmem, static_cast<double>(now() - start) / kSmallPuts);
        shmem_quiet();
    }
    pair_.meet();
    bool right = true;
    for (int put = kSmallPuts - kWords; put < kSmallPuts && !pair_.sends(); ++put)
        right &= words[put % kWords] == seed + put;
    check(pair_.exchange(right), "8-byte puts", kShmem);
}

/// Nanoseconds one way.
double PairRun::time_round_trips(int count, const std::function<void(int)>& round_trips) {
    pair_.meet();
    const std::int64_t start = now();
    round_trips(count);
    return static_cast<double>(now() - start) / (2.0 * count);
}

double PairRun::time_hand_off() {
    return time_round_trips(std::max(kRoundTrips / plan_.thinning, 1),
                            [this](int count) { limit_.round_trips(count); });
}

double PairRun::probe_hand_off() {
    Samples probes;
    for (int probe = 0; probe < 9; ++probe)
        probes.add(time_hand_off());
    return probes.median();
}

void PairRun::measure_small_again_if_needed() {
    PairOutcome& outcome = record_.outcome;
    const double change = std::abs(outcome.hand_off_after / outcome.hand_off_before - 1);
    const double decisive = pair_.exchange(change);
    if ((pair_.sends() ? change : decisive) <= kHandOffTolerance)
        return;
    outcome.measured_again = true;
    for (const ProbedSample& sample : probed_)
        set_aside(sample);
    probed_.clear();
    for (RowId row : {kLatency8Bytes, kLatency4KiB, kLatency1MiB, kSynchronisation, kBarrier, kPut8Bytes}) {
        for (int id = 0; id < kColumns; ++id)
            record_.samples.set_all_aside(row, static_cast<ColumnId>(id));
    }
    outcome.hand_off_before = outcome.hand_off_after;
    for (int round = 0; round < plan_.rounds; ++round)
        small_round();
    outcome.hand_off_after = probe_hand_off();
}

std::uint64_t PairRun::next_seed() {
    constexpr std::uint64_t kOdd = 0xd1342543de82ef95;
    return ++transfers_ * kOdd + static_cast<std::uint64_t>(pair_.sender()) * 1'000'003 + pair_.receiver();
}

void PairRun::check(bool right, const char* what, ColumnId id) {
    PairOutcome& outcome = record_.outcome;
    ++outcome.transfers_checked;
    if (right)
        return;
    if (outcome.transfers_wrong++ == 0)
        std::snprintf(outcome.first_wrong, sizeof outcome.first_wrong, "%s of %s", what, kColumnNames[id]);
}

void PairRun::add(RowId row, ColumnId id, double value) {
    if (pair_.sends())
        record_.samples.at(row, id).add(value);
}

} // namespace shm::bench

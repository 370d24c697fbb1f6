// SPDX-License-Identifier: Apache-2.0
// Puts and gets of all shapes: sizes and alignments, to this PE and to another one, with guard bytes around.
#include <algorithm>

#include <gtest/gtest.h>

#include "pattern.hpp"
#include "shmem.h"

namespace shm::test {
namespace {

constexpr std::size_t kGuard = 64;
constexpr unsigned char kUntouched = 0xEE;

struct Shape {
    std::size_t bytes, dest_alignment, source_alignment;
};

std::vector<Shape> small_shapes() {
    std::vector<Shape> shapes;
    for (std::size_t bytes = 0; bytes <= 40; ++bytes)
        for (std::size_t dest = 0; dest < 8; ++dest)
            for (std::size_t source = 0; source < 8; ++source)
                shapes.push_back({bytes, dest, source});
    return shapes;
}

std::vector<Shape> large_shapes() {
    std::vector<Shape> shapes;
    for (std::size_t power = 64; power <= std::size_t{4} << 20; power *= 2)
        for (std::size_t bytes : {power - 1, power, power + 1})
            for (std::size_t alignment : {0, 1, 33})
                shapes.push_back({bytes, alignment, (alignment * 7) % 64});
    return shapes;
}

/// The only writer of the object of PE `pe`, so that it can look at it without asking.
class Writer {
public:
    Writer(unsigned char* object, std::size_t room, int pe) : object_(object), room_(room), pe_(pe) {}

    /// Whether a put of this shape changes its bytes and no others, and a get brings them back.
    bool right(Shape shape, bool nbi) {
        Bytes source = pattern(shape.source_alignment + shape.bytes, static_cast<unsigned>(++round_));
        std::size_t around = kGuard + shape.dest_alignment;
        Bytes expected(around + shape.bytes + kGuard, kUntouched);
        Bytes there(expected.size());
        shmem_putmem(object_, expected.data(), expected.size(), pe_);
        std::copy_n(source.begin() + shape.source_alignment, shape.bytes, expected.begin() + around);
        (nbi ? shmem_putmem_nbi : shmem_putmem)(object_ + around, source.data() + shape.source_alignment,
                                                shape.bytes, pe_);
        shmem_quiet();
        shmem_getmem(there.data(), object_, there.size(), pe_);
        return there == expected && got(shape, source, nbi);
    }

private:
    bool got(Shape shape, const Bytes& source, bool nbi) {
        Bytes local(kGuard + shape.source_alignment + shape.bytes + kGuard, kUntouched);
        Bytes expected = local;
        std::size_t at = kGuard + shape.source_alignment;
        std::copy_n(source.begin() + shape.source_alignment, shape.bytes, expected.begin() + at);
        (nbi ? shmem_getmem_nbi : shmem_getmem)(local.data() + at, object_ + kGuard + shape.dest_alignment,
                                                shape.bytes, pe_);
        shmem_quiet();
        return local == expected;
    }

    unsigned char* object_;
    std::size_t room_;
    int pe_;
    int round_ = 0;
};

void check(const std::vector<Shape>& shapes, bool nbi) {
    std::size_t room = shapes.back().bytes + 4 * kGuard;
    auto* for_another = static_cast<unsigned char*>(shmem_malloc(room));
    auto* for_this_pe = static_cast<unsigned char*>(shmem_malloc(room));
    Writer to_next(for_another, room, next_pe());
    Writer to_self(for_this_pe, room, shmem_my_pe());
    for (Shape shape : shapes) {
        EXPECT_TRUE(to_next.right(shape, nbi)) << shape.bytes << " bytes to another PE, alignments "
                                               << shape.dest_alignment << " and " << shape.source_alignment;
        EXPECT_TRUE(to_self.right(shape, nbi)) << shape.bytes << " bytes to this PE, alignments "
                                               << shape.dest_alignment << " and " << shape.source_alignment;
    }
    shmem_free(for_this_pe);
    shmem_free(for_another);
}

TEST(Blocking, small_shapes_are_exact) {
    check(small_shapes(), false);
}
TEST(Blocking, large_shapes_are_exact) {
    check(large_shapes(), false);
}
TEST(NonBlocking, small_shapes_are_exact_after_quiet) {
    check(small_shapes(), true);
}
TEST(NonBlocking, large_shapes_are_exact_after_quiet) {
    check(large_shapes(), true);
}

} // namespace
} // namespace shm::test

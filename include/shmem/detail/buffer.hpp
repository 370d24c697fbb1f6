// SPDX-License-Identifier: Apache-2.0
// Symmetric memory that frees itself.
#pragma once

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "shmem/detail/error.hpp"

namespace shmem {

/// An object in the symmetric heap, one on every PE, or a buffer that PEs share; made by alloc().
///
/// Its end is a collective free, over all PEs or over those that share it: handles end in the same order on
/// all of them. Two ends free nothing: one by an
/// exception, which the other PEs may not have (the memory stays until finalize), and one after finalize,
/// when it is gone already.
class Buffer {
public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
          free_(other.free_), generation_(other.generation_), exceptions_(other.exceptions_) {}
    Buffer& operator=(Buffer&& other) noexcept {
        if (this != &other) {
            release();
            object_ = std::exchange(other.object_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
            free_ = other.free_;
            generation_ = other.generation_;
            exceptions_ = other.exceptions_;
        }
        return *this;
    }
    ~Buffer() {
        if (std::uncaught_exceptions() == exceptions_)
            release();
    }

    /// The object of this PE, or the shared one: an address that is valid as the remote side of transfers.
    void* ptr() const noexcept { return object_; }
    /// Its size in bytes.
    std::size_t size() const noexcept { return bytes_; }
    /// The object as elements of type T; what does not fill an element is left out.
    template <typename T>
    std::span<T> as() const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "symmetric memory holds plain data");
        return {static_cast<T*>(object_), bytes_ / sizeof(T)};
    }

    /// Frees the object now. Collective.
    void free() {
        int status = release();
        detail::check(status, "shmem::Buffer::free");
    }

private:
    friend Buffer alloc(std::size_t bytes);
    friend Buffer alloc(std::size_t bytes, std::span<const int> pes);
    friend Buffer alloc_zeroed(std::size_t count, std::size_t size);

    Buffer(void* object, std::size_t bytes, int (*free)(void*) = shmemx_checked_free)
        : object_(object), bytes_(bytes), free_(free), generation_(shmemx_checked_initialized()),
          exceptions_(std::uncaught_exceptions()) {}

    int release() noexcept {
        void* object = std::exchange(object_, nullptr);
        bytes_ = 0;
        return object && generation_ == shmemx_checked_initialized() ? free_(object) : 0;
    }

    void* object_ = nullptr;
    std::size_t bytes_ = 0;
    int (*free_)(void*) = nullptr;
    int generation_ = 0; // of the library's initialisation that the object belongs to
    int exceptions_ = 0; // in flight when it was made
};

/// `bytes` bytes on every PE, contents unspecified. Collective, with the same size on all PEs. Throws on all
/// PEs when memory does not suffice. [shmem_malloc]
inline Buffer alloc(std::size_t bytes) {
    void* object = nullptr;
    detail::check(shmemx_checked_malloc(bytes, &object), "shmem::alloc");
    return {object, bytes};
}

/// One buffer of `bytes` bytes, all zero, that the PEs in `pes` see at the same address. Collective over
/// these PEs alone, which all name the same ones, in any order. Throws on all of them when memory does not
/// suffice. [shmemx_alloc_shared]
inline Buffer alloc(std::size_t bytes, std::span<const int> pes) {
    void* object = nullptr;
    detail::check(shmemx_checked_alloc_shared(bytes, pes.data(), static_cast<int>(pes.size()), &object),
                  "shmem::alloc");
    return {object, bytes, shmemx_checked_free_shared};
}
inline Buffer alloc(std::size_t bytes, std::initializer_list<int> pes) {
    return alloc(bytes, std::span(pes.begin(), pes.size()));
}

/// `count` elements of `size` bytes on every PE, all zero; otherwise as alloc(). [shmem_calloc]
inline Buffer alloc_zeroed(std::size_t count, std::size_t size) {
    void* object = nullptr;
    detail::check(shmemx_checked_calloc(count, size, &object), "shmem::alloc_zeroed");
    return {object, count * size};
}

/// An array of n elements on every PE, zero at first. Collective to make and to end, as Buffer. (In lower
/// case because it reads as a function: auto halo = shmem::symmetric<double>(n).)
template <typename T>
class symmetric { // NOLINT(readability-identifier-naming)
    static_assert(std::is_trivially_copyable_v<T>, "symmetric memory holds plain data");

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = T*; // the handle may be const, the memory is not

    explicit symmetric(std::size_t n) : buffer_(alloc_zeroed(n, sizeof(T))) {}

    T* ptr() const noexcept { return static_cast<T*>(buffer_.ptr()); }
    /// The number of elements.
    std::size_t size() const noexcept { return buffer_.size() / sizeof(T); }
    T& operator[](std::size_t index) const noexcept { return ptr()[index]; }
    T* begin() const noexcept { return ptr(); }
    T* end() const noexcept { return ptr() + size(); }
    T* data() const noexcept { return ptr(); }

    /// The array of PE `pe`, to load from and store to directly. Throws when that PE cannot be reached so.
    /// Plain accesses are ordered by fence() and barrier_all().
    std::span<T> on(int pe) const {
        void* there = nullptr;
        detail::check(shmemx_checked_ptr(ptr(), pe, &there), "shmem::symmetric::on");
        return {static_cast<T*>(there), there ? size() : 0};
    }

private:
    Buffer buffer_;
};

} // namespace shmem

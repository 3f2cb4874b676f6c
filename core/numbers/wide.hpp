// Vectors of what every body has. Large ones ask the system for huge pages: with a hundred thousand bodies the
// processor would else spend much of its time looking up where the pages of 4 KiB are.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kumi {

template <class T> struct WideAllocator {
    using value_type = T;
    static constexpr std::size_t HUGE = std::size_t{1} << 21;

    WideAllocator() = default;
    template <class U> WideAllocator(const WideAllocator<U>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, std::align_val_t{alignment(bytes)});
#ifdef __linux__
        if (bytes >= HUGE) madvise(memory, bytes & ~(HUGE - 1), MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, std::align_val_t{alignment(count * sizeof(T))});
    }
    bool operator==(const WideAllocator&) const { return true; }

  private:
    static std::size_t alignment(std::size_t bytes) { return bytes >= HUGE ? HUGE : 64; }
};

template <class T> using Wide = std::vector<T, WideAllocator<T>>;

}  // namespace kumi

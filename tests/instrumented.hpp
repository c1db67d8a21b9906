// Instrumented matrices and elements: guard pages beside a matrix, and an element type that counts its
// operations.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <ostream>

#include "common/problem.hpp"

namespace instrumented {

using course::Index, course::View;

/// Where the guard page lies: behind a matrix's last element, or before its first.
enum class Fence { behind, before };

/// A matrix beside a guard page: a kernel that reads or writes there ends with SIGSEGV.
template <class T>
class Fenced {
 public:
  Fenced(Index rows, Index cols, Fence fence) : rows_(rows), cols_(cols) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(rows * cols) * sizeof(T);
    const std::size_t pages = (bytes + page - 1) / page * page;
    all_ = pages + page;
    room_ = mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room_ == MAP_FAILED) throw std::bad_alloc();
    char* const begin = static_cast<char*>(room_);
    const bool behind = fence == Fence::behind;
    mprotect(behind ? begin + pages : begin, page, PROT_NONE);
    data_ = reinterpret_cast<T*>(behind ? begin + pages - bytes : begin + page);
  }
  ~Fenced() { munmap(room_, all_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  View<T> view() const { return {data_, rows_, cols_, cols_}; }

 private:
  Index rows_, cols_;
  std::size_t all_ = 0;
  void* room_ = nullptr;
  T* data_ = nullptr;
};

/// What a kernel does, counted.
struct Work {
  Index multiplied = 0, assigned = 0;  // elements
  Index words = 0;                     // of 16 bytes, loaded or stored at once
  Index copies = 0, single = 0;        // begun by cp.async: of 16 bytes, of an element
  bool operator==(const Work&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Work& work) {
    return out << work.multiplied << " multiplied, " << work.assigned << " assigned, " << work.words
               << " words, " << work.copies << " copies, " << work.single << " single";
  }
};

inline std::atomic<Index> multiplied, assigned, words, copies, single;
/// A number as large as a float, counted when it is multiplied or assigned. (A copy at birth may be left
/// out.)
struct Counted {
  Counted() = default;
  Counted(unsigned value_) : value(value_) {}
  Counted(int value_) : value(static_cast<unsigned>(value_)) {}
  Counted(const Counted&) = default;
  Counted& operator=(const Counted& other) {
    assigned += other.value != course::poison<unsigned>();  // the emulator's own are none of the kernel's
    value = other.value;
    return *this;
  }
  Counted& operator+=(const Counted& other) {
    value += other.value;
    return *this;
  }
  friend Counted operator+(const Counted& one, const Counted& other) { return one.value + other.value; }
  friend Counted operator*(const Counted& one, const Counted& other) {
    ++multiplied;
    return one.value * other.value;
  }
  unsigned value;
};

/// Runs start(a, b, c) on small numbers; what it did, or nothing if its product is wrong.
template <class Start>
Work work_of(const course::Shape& shape, Start start, Fence fence = Fence::behind) {
  const auto [m, n, k] = shape;
  Fenced<Counted> a(m, k, fence), b(k, n, fence), c(m, n, fence);
  const auto fill = [](View<Counted> view, unsigned factor) {
    for (Index i = 0; i < view.rows(); ++i)
      for (Index j = 0; j < view.cols(); ++j)
        view(i, j).value = static_cast<unsigned>(i * 7 + j * 3) * factor % 11 + 1;
  };
  fill(a.view(), 1), fill(b.view(), 5), fill(c.view(), 2);
  multiplied = assigned = words = copies = single = 0;
  start(View<const Counted>(a.view()), View<const Counted>(b.view()), c.view());
  const Work work{multiplied, assigned, words, copies, single};
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      unsigned sum = static_cast<unsigned>(i * 7 + j * 3) * 2 % 11 + 1;
      for (Index p = 0; p < k; ++p) sum += a.view()(i, p).value * b.view()(p, j).value;
      if (c.view()(i, j).value != sum) return {};
    }
  return work;
}

}  // namespace instrumented

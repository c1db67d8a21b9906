// Matrices beside guard pages: a kernel that reads or writes there ends with SIGSEGV.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "tests/check.hpp"

namespace fenced {

using course::Index, course::View;

/// Where the guard page lies: behind a matrix's last element, or before its first.
enum class Fence { behind, before };

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

/// Whether product(a, b, c) adds A·B to C, wherever the guard pages are. Small whole numbers: exact in any
/// order.
template <class T, class Product>
bool right(const course::Shape& shape, Product product) {
  const auto [m, n, k] = shape;
  bool all = true;
  for (const Fence fence : {Fence::behind, Fence::before}) {
    const Fenced<T> a(m, k, fence), b(k, n, fence), c(m, n, fence), before(m, n, fence);
    for (const auto* const matrix : {&a, &b, &c, &before})
      course::fill_matrix(matrix->view(), course::Fill::digits, 1, 'A');
    product(View<const T>(a.view()), View<const T>(b.view()), c.view());
    all &= check::differences<T>(a.view(), b.view(), before.view(), c.view()) == 0;
  }
  return all;
}

}  // namespace fenced

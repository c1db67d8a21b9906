// What tests of kernels ask: how much of a product is wrong, and whether a kernel leaves its matrices.
#pragma once

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/problem.hpp"

namespace check {

/// How many elements are wrong when `kernel` has run on `shape`, in rows longer by `pad`; digits, so that
/// equality may be asked for. What lies beside C is checked, too.
template <class T = float, class Kernel>
course::Index wrong(const course::Shape& shape, Kernel kernel, course::Index pad = 3) {
  using course::Index, course::View;
  using Sum = course::Result<T>;
  const course::Problem<T> problem{.shape = shape, .fill = course::Fill::digits, .pad = pad};
  const course::Inputs<T>& in = problem.whole();
  const View<const T> a = in.a.view(), b = in.b.view();
  const View<const Sum> before = in.c.view();
  course::Matrix<Sum> after(shape.m, shape.n, pad);
  const View<Sum> c = after.view();
  course::copy<Sum>(before, c);
  kernel(a, b, c);
  CHECK(after.guards_intact());
  Index differences = 0;
  for (Index i = 0; i < shape.m; ++i)
    for (Index j = 0; j < shape.n; ++j) {
      Sum sum = before(i, j);
      for (Index p = 0; p < shape.k; ++p) sum += a(i, p) * b(p, j);
      differences += !(c(i, j) == sum);
    }
  return differences;
}

}  // namespace check

// Matrices beside guard pages: a kernel that reads or writes there ends with SIGSEGV.
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
      for (Index i = 0; i < matrix->view().rows(); ++i)
        for (Index j = 0; j < matrix->view().cols(); ++j)
          matrix->view()(i, j) = static_cast<T>((3 * i + j) % 7 - 3);
    product(View<const T>(a.view()), View<const T>(b.view()), c.view());
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        T sum = before.view()(i, j);
        for (Index p = 0; p < k; ++p) sum += a.view()(i, p) * b.view()(p, j);
        all &= c.view()(i, j) == sum;
      }
  }
  return all;
}

}  // namespace fenced

// What tests ask: how much of a product is wrong, whether a kernel leaves its matrices, what a call prints.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "common/problem.hpp"

namespace check {

using course::Index, course::View;

/// How many elements of C are not before + A·B, of numbers whose sums are exact.
template <class T>
Index differences(View<const T> a, View<const T> b, View<const course::Result<T>> before,
                  View<const course::Result<T>> c) {
  Index count = 0;
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      course::Result<T> sum = before(i, j);
      for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
      count += !(c(i, j) == sum);
    }
  return count;
}

/// How many elements are wrong when `kernel` has run on `shape`, in rows longer by `pad`; digits, so that
/// equality may be asked for. What lies beside C is checked, too.
template <class T = float, class Kernel>
Index wrong(const course::Shape& shape, Kernel kernel, Index pad = 3) {
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
  return differences<T>(a, b, before, c);
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
      course::fill_matrix(matrix->view(), course::Fill::digits, 1, 'A');
    product(View<const T>(a.view()), View<const T>(b.view()), c.view());
    all &= check::differences<T>(a.view(), b.view(), before.view(), c.view()) == 0;
  }
  return all;
}

}  // namespace fenced

/// What a call writes to standard output and to standard error.
struct Captured {
  std::string out, err;
};

inline Captured captured(const std::function<void()>& call) {
  int out[2], err[2];  // to read, to write: two pipes hold more than any test says
  if (pipe(out) != 0 || pipe(err) != 0) std::abort();
  std::fflush(stdout);
  const int kept_out = dup(STDOUT_FILENO), kept_err = dup(STDERR_FILENO);
  dup2(out[1], STDOUT_FILENO), dup2(err[1], STDERR_FILENO);
  call();
  std::fflush(stdout);
  dup2(kept_out, STDOUT_FILENO), dup2(kept_err, STDERR_FILENO);
  const auto all = [](const int(&ends)[2]) {
    std::string text;
    char some[4096];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (ssize_t count; (count = read(ends[0], some, sizeof some)) > 0;)
      text.append(some, static_cast<std::size_t>(count));
    return close(ends[0]), close(ends[1]), text;
  };
  close(kept_out), close(kept_err);
  return {all(out), all(err)};
}

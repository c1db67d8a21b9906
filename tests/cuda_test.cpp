// The adaptor to CUDA's runtime, on a runtime that is the host's memory: guards, copies, times, what is
// missing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "fake_cuda.hpp"

#define COURSE_LEAST_CAPABILITY 80
#include "gpu/cuda.hpp"

using course::Cuda, course::Index, course::Memory, course::View;
using fake_cuda::state;

namespace {

/// Whether a copy takes each side's rows from where they begin. What looks at guards asks first: with others'
/// distances a copy destroys what lies around.
bool copies_rows() {
  course::Matrix<double> from(3, 5, 1), to(3, 5, 4);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 5; ++j) from.view()(i, j) = static_cast<double>(10 * i + j);
  Cuda::transfer<double>(from.view(), to.view());
  bool right = to.guards_intact();
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 5; ++j) right &= to.view()(i, j) == static_cast<double>(10 * i + j);
  return right;
}

}  // namespace

TEST_CASE_TEMPLATE("on a GPU: a write outside a matrix is seen, wherever, and none inside", T, float,
                   std::int32_t, course::bf16) {
  state = {};
  REQUIRE(copies_rows());
  for (const Memory memory : {Memory::device, Memory::pitched, Memory::unified, Memory::registered}) {
    state = {};
    Cuda::Matrix<T> matrix(3, 5, 2, memory);
    CHECK(state.pitched == (memory == Memory::pitched));
    CHECK(state.unified == (memory == Memory::unified));
    matrix.poison();
    CHECK(state.synchronized == 1);  // the runtime's own poison need not be done when it says so
    const View<T> view = matrix.view();
    T* const all = static_cast<T*>(state.taken.begin()->first);
    const Index count = static_cast<Index>(state.taken.begin()->second / sizeof(T)), ld = view.ld(),
                first = view.data() - all, end = first + 3 * ld, wide = course::wide_guard(7);
    CHECK((view.rows() == 3 && view.cols() == 5 &&
           ld == (memory == Memory::pitched ? Index{512 / sizeof(T)} : 7)));
    CHECK((first % 64 == 0 && first >= wide && count - end >= wide));
    const auto is_poison = [](T e) { return !(e == e) || static_cast<double>(e) == -0x7e7e7e7f; };
    for (Index i = 0; i < 3; ++i) CHECK(std::all_of(&view(i, 0), &view(i, 0) + 5, is_poison));
    CHECK(matrix.guards_intact());
    for (const Index inside : {first, first + 4, first + ld, end - ld + 4}) all[inside] = T{1};
    CHECK(matrix.guards_intact());
    for (const Index outside : {Index{0}, first - ld, first - 1, first + 5, first + ld - 1, end - ld + 5,
                                end - 1, end, count - 1}) {
      CAPTURE(outside - first);
      const T before = std::exchange(all[outside], static_cast<T>(all[outside] + view(0, 0)));
      CHECK_FALSE(matrix.guards_intact());
      all[outside] = before;
      CHECK(matrix.guards_intact());
    }
  }
  CHECK(state.taken.empty());
  CHECK(Cuda::Matrix<T>().guards_intact());
}

TEST_CASE("on a GPU: a copy takes each side's rows from where they begin") {
  state = {};
  CHECK(copies_rows());
  state.status = cudaErrorInvalidValue;
  course::Matrix<float> matrix(3, 5);
  const View<float> view = matrix.view();
  CHECK_THROWS_WITH(Cuda::transfer<float>(view, view), "invalid argument");
  Cuda::transfer<float>(view.block(0, 0, 0, 5), view.block(0, 0, 0, 5));  // nothing is asked
  Cuda::transfer<float>(view.block(0, 0, 3, 0), view.block(0, 0, 3, 0));
}

TEST_CASE("on a GPU: seconds lie between two marks, which are given back") {
  state = {.milliseconds = 100};
  CHECK(Cuda::seconds_of([] { state.milliseconds += 250; }) == doctest::Approx(0.25));
  CHECK(state.events == 0);
  CHECK_THROWS_WITH(Cuda::seconds_of([] { state.status = cudaErrorInvalidValue; }), "invalid argument");
  CHECK(state.events == 0);
  state = {.busy = true};
  CHECK(Cuda::pending());
  state = {};
  CHECK_FALSE(Cuda::pending());
}

TEST_CASE("on a GPU: what is there, and what is missing") {
  state = {};
  CHECK(Cuda::device() == "a GPU");
  CHECK(Cuda::missing().empty());
  CHECK(Cuda::missing(86).empty());
  CHECK(Cuda::missing(90) == "needs a GPU of compute capability 9.0, this one has 8.6");
  CHECK(Cuda::missing(80, true) == "needs a GPU of compute capability 8.0, this one has 8.6");
  CHECK(Cuda::multiprocessors() == 132);
  CHECK(Cuda::free_memory() == 1000);
  state = {.major = 7, .minor = 5};
  CHECK(Cuda::missing() == "built for GPUs of compute capability 8.0 and later, this one has 7.5");
  state = {.status = cudaErrorInvalidValue};
  CHECK(Cuda::missing() == "the GPU does not answer any more: invalid argument");
  CHECK(Cuda::free_memory() == std::numeric_limits<double>::infinity());
  state = {.devices = 0};
  CHECK(Cuda::missing() == "no CUDA device: no device");
  CHECK(Cuda::device() == "no GPU");
  state = {.status = cudaErrorMemoryAllocation};
  CHECK_THROWS_AS(Cuda::Matrix<float>(1, 1, 0, Memory::device), std::bad_alloc);
  state = {};
}

TEST_CASE("on a GPU: registered memory of the host has whole pages of its own") {
  state = {};
  {
    const Cuda::HostMatrix<float> matrix(3, 500, 12);
    CHECK((matrix.view().rows() == 3 && matrix.view().cols() == 500 && matrix.view().ld() == 512));
    REQUIRE(state.registered.size() == 1);
    CHECK(state.registered.begin()->first == matrix.view().data());
    CHECK(state.registered.begin()->second == 2 * 4096);
    CHECK(reinterpret_cast<std::uintptr_t>(matrix.view().data()) % 4096 == 0);
  }
  CHECK(state.registered.empty());
}

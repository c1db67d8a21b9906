// The platform of kernels, on the emulator's runtime: guards, copies, what is missing.
#include <doctest/doctest.h>

#include <cstring>

#include "gpu/cuda.hpp"

using namespace course;

namespace {

/// Changes an element's bits, and brings them back at the end.
template <class T>
struct Spoilt {
  T* element;
  T before;
  explicit Spoilt(T* at) : element(at), before(*at) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, at, sizeof(T)), bytes[0] ^= 1, std::memcpy(at, bytes, sizeof(T));
  }
  ~Spoilt() { std::memcpy(element, &before, sizeof(T)); }
};

}  // namespace

TEST_CASE_TEMPLATE("on a GPU: a write outside a matrix is seen, wherever, and none inside", T, float,
                   std::int32_t, bf16) {
  for (const Memory memory : {Memory::device, Memory::pitched, Memory::unified, Memory::pinned}) {
    Cuda::Matrix<T> matrix(3, 5, 2, memory);
    matrix.poison();
    const View<T> view = matrix.view();
    T* const first = view.data();
    const Index ld = view.ld(), end = 3 * ld, wide = wide_guard(7);
    CHECK((view.rows() == 3 && view.cols() == 5));
    CHECK(ld == (memory == Memory::pitched ? Index{512 / sizeof(T)} : 7));
    CHECK(reinterpret_cast<std::uintptr_t>(first) % (64 * sizeof(T)) == 0);
    CHECK(matrix.guards_intact());
    for (const Index inside : {Index{0}, Index{4}, ld, end - ld + 4}) first[inside] = T(1.f);
    CHECK(matrix.guards_intact());
    for (const Index outside : {-wide, Index{-1}, Index{5}, ld - 1, end - 1, end, end + wide - 1}) {
      const Spoilt<T> spoilt(first + outside);
      CHECK_FALSE(matrix.guards_intact());
    }
    CHECK(matrix.guards_intact());
  }
  CHECK(Cuda::Matrix<T>().guards_intact());
}

TEST_CASE("on a GPU: what is missing") {
  emulator::set_order("forward");
  CHECK(Cuda::missing(90, true).empty());
  CHECK(Cuda::missing(80).empty());
  CHECK(Cuda::missing(80, true) == "needs a GPU of compute capability 8.0, this one has 9.0");
  CHECK(Cuda::missing(100) == "needs a GPU of compute capability 10.0, this one has 9.0");
  CHECK_THROWS_AS(Cuda::Matrix<float>(Index{1} << 40, 1 << 18, 0, Memory::device), std::bad_alloc);
}

TEST_CASE("on a GPU: what is asked once is asked of each device") {
  int asked = 0;
  const auto ask = [&asked] { return ++asked, Cuda::current(); };
  for (const int device : {0, 1, 0, 1})
    CHECK((cudaSetDevice(device) == cudaSuccess && once_a_device(ask) == device));
  CHECK((asked == 2 && cudaSetDevice(2) == cudaErrorInvalidValue && cudaSetDevice(0) == cudaSuccess));
}

TEST_CASE("on a GPU: pinned memory of the host has whole pages of its own") {
  const Cuda::HostMatrix<float> matrix(3, 500, 12);
  CHECK((matrix.view().rows() == 3 && matrix.view().cols() == 500 && matrix.view().ld() == 512));
  CHECK(reinterpret_cast<std::uintptr_t>(matrix.view().data()) % 4096 == 0);
}

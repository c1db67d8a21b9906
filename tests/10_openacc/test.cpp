// The adaptor, with a device that can be made to lie, and kernels on matrices that end where memory does:
// without directives they are plain loops. No GPU is needed.
#include <doctest/doctest.h>

#include "10_openacc/device.hpp"
#include "10_openacc/gemm.hpp"
#include "tests/check.hpp"

namespace {

int gpu = 0, pieces = 0;  // where regions run; how many pieces of memory are taken
const openacc::Model fake = {"Fake", "FAKE", "host", [] { return gpu; }};

}  // namespace

const char* openacc::name_of(int) {
  return "a GPU";
}
void* openacc::take(int, std::size_t bytes) {
  return bytes > 1000000 ? nullptr : (++pieces, std::malloc(bytes));
}
void openacc::give_back(int, void* memory) {
  --pieces, std::free(memory);
}
void openacc::to_device(int, void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void openacc::from_device(int, void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

namespace {

using openacc::Index, openacc::View;
using Kernel = openacc::Offloaded<float>::Kernel;

/// A row of results, 4 × n and 3, from allocate to fetch.
struct Row {
  explicit Row(Kernel kernel, Index pad = 2, Index n = 5) : problem{.shape = {4, n, 3}, .pad = pad} {
    variant = openacc::offloaded<float>("name", "idea", kernel, {}, fake);
    variant->allocate(problem, {});
  }
  void once() { variant->distribute(), variant->reset(), variant->run(), variant->fetch(); }
  course::Problem<float> problem;
  std::shared_ptr<course::Variant<float>> variant;
};

TEST_CASE("a run that lands elsewhere than its row's memory gives no number") {
  for (const int first : {-1, 0, 1}) {
    gpu = first;
    Row row(openacc::one_each<float>);
    CHECK_NOTHROW(row.once());
    gpu = first == 0 ? -1 : 0;
    CHECK_THROWS_AS(row.once(), std::runtime_error);
  }
}

TEST_CASE("what a kernel writes outside A, B and C is noticed") {
  static constexpr auto data = [](View<const float> view) { return const_cast<float*>(view.data()); };
  const Kernel wild[] = {
      [](auto, auto, View<float> c) { c.data()[-1] = 1; },
      [](auto, auto, View<float> c) { c.data()[c.rows() * c.ld()] = 1; },
      [](auto, auto, View<float> c) { c.data()[c.ld() - 1] = 1; },
      [](View<const float> a, auto, auto) { data(a)[a.cols()] = 1; },
      [](auto, View<const float> b, auto) { data(b)[-1] = 1; },
  };
  for (const Kernel kernel : wild) {
    Row row(kernel);
    row.once();
    CHECK_FALSE(row.variant->guards_intact());
  }
}

TEST_CASE("too little memory is bad_alloc, and none is kept") {
  CHECK_THROWS_AS(Row(openacc::one_each<float>, 0, 300000), std::bad_alloc);  // more than `take` gives
  CHECK(pieces == 0);
}

TEST_CASE("a kernel reads no row, and no column, that is not there") {
  const Kernel kernels[] = {openacc::one_each<float>,   openacc::unrolled<float>,
                            openacc::tiled<float>,      openacc::four_by_four<float>,
                            openacc::omp_target<float>, openacc::omp_target_simd<float>};
  for (const course::Shape shape : {course::Shape{5, 7, 97}, {7, 5, 1}, {1, 33, 2}, {33, 65, 3}, {0, 5, 3}})
    for (const Kernel kernel : kernels) CHECK(fenced::right<float>(shape, kernel));
}

}  // namespace

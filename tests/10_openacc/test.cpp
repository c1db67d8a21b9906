// The adaptor, with a device that can be made to lie: no GPU is needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "10_openacc/device.hpp"

namespace {

using course::Index, course::View;

/// What the fake device answers.
struct State {
  bool host_wanted = false, on_host = false, copies = true, lost = false;
  const char* gpu = "a GPU";
  double free_bytes = 1e9;
  std::map<const char*, std::size_t> taken;
  std::size_t most = 0;  // pieces at a time
  bool wild = false;     // a copy to or from what is nobody's
} state;

bool is_taken(const void* memory, std::size_t bytes) {
  const auto* const at = static_cast<const char*>(memory);
  return std::any_of(state.taken.begin(), state.taken.end(), [=](const auto& piece) {
    return at >= piece.first && at + bytes <= piece.first + piece.second;
  });
}

bool copied(void* to, const void* from, std::size_t bytes, const void* device) {
  state.wild |= !is_taken(device, bytes);
  if (!state.wild && !state.lost) std::memcpy(to, from, bytes);
  return state.copies;
}

const openacc::Model fake = {
    "Fake",
    "FAKE=host",
    [] { return state.host_wanted; },
    [] { return state.on_host; },
    [] { return state.gpu; },
    [] { return state.free_bytes; },
    [](std::size_t bytes) -> void* {
      if (bytes > 1000000) return nullptr;
      char* const memory = static_cast<char*>(std::malloc(bytes));
      state.taken[memory] = bytes;
      state.most = std::max(state.most, state.taken.size());
      return memory;
    },
    [](void* memory) { state.taken.erase(static_cast<char*>(memory)), std::free(memory); },
    [](void* to, const void* from, std::size_t bytes) { return copied(to, from, bytes, to); },
    [](void* to, const void* from, std::size_t bytes) { return copied(to, from, bytes, from); },
};

using Kernel = void (*)(View<const float> a, View<const float> b, View<float> c);

void right(View<const float> a, View<const float> b, View<float> c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      for (Index p = 0; p < a.cols(); ++p) c(i, j) += a(i, p) * b(p, j);
}

/// A row of results, from allocate to fetch.
struct Row {
  explicit Row(Kernel kernel = right, Index pad = 2, Index n = 5) : problem{.shape = {4, n, 3}, .pad = pad} {
    variant = openacc::offloaded<float>("name", "idea", kernel, {}, fake);
  }
  course::Times once() {
    course::Times times = variant->distribute();
    variant->reset();
    times += variant->run();
    times += variant->fetch();
    return times;
  }
  course::Problem<float> problem;
  std::shared_ptr<course::Variant<float>> variant;
};

TEST_CASE("a run that lands elsewhere than its row's memory gives no number") {
  for (const bool on_host : {false, true}) {
    state = {};
    state.on_host = on_host;
    Row row;
    row.variant->allocate(row.problem, {});
    CHECK_NOTHROW(row.once());
    state.on_host = !on_host;
    CHECK_THROWS_AS(row.once(), std::runtime_error);
  }
}

TEST_CASE("the product is added to C as it was, run after run, and its phases are timed apart") {
  for (const Index pad : {0, 3}) {
    state = {};
    Row row(right, pad);
    course::Times times = row.variant->allocate(row.problem, {});
    times += row.once();
    row.once();
    CHECK((times.alloc && times.copy_in && times.product && times.copy_out));
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 5; ++j) {
        float wanted = row.problem.c(i, j);
        for (Index p = 0; p < 3; ++p) wanted += row.problem.a(i, p) * row.problem.b(p, j);
        CHECK(row.variant->result()(i, j) == doctest::Approx(wanted));
      }
    CHECK(row.variant->guards_intact());
    CHECK_FALSE(state.wild);
    state.lost = true;  // a copy that brings nothing leaves no former product
    row.variant->fetch();
    for (Index j = 0; j < 5; ++j) CHECK(std::isnan(row.variant->result()(0, j)));
  }
}

TEST_CASE("memory of more than one copy has guards; the former row's is given back first") {
  state = {};
  Row row(right, 2, 20000);
  row.variant->allocate(row.problem, {});
  row.once();
  CHECK(row.variant->guards_intact());
  row.variant->allocate(row.problem, {});
  CHECK(state.most == 3);
}

TEST_CASE("what a kernel writes outside A, B and C is noticed") {
  state = {};
  static constexpr auto data = [](View<const float> view) { return const_cast<float*>(view.data()); };
  const Kernel wild[] = {
      [](auto, auto, View<float> c) { c.data()[-1] = 1; },
      [](auto, auto, View<float> c) { c.data()[c.rows() * c.ld()] = 1; },
      [](auto, auto, View<float> c) { c.data()[c.ld() - 1] = 1; },
      [](auto, auto, View<float> c) { c.data()[c.rows() * c.ld() - 1] = 1; },
      [](View<const float> a, auto, auto) { data(a)[a.cols()] = 1; },
      [](auto, View<const float> b, auto) { data(b)[-1] = 1; },
  };
  for (const Kernel kernel : wild) {
    Row row(kernel);
    row.variant->allocate(row.problem, {});
    CHECK(row.variant->guards_intact());
    row.once();
    CHECK_FALSE(row.variant->guards_intact());
  }
}

TEST_CASE("too little memory is bad_alloc; none is kept, and a failed copy is told") {
  state = {};
  Row row, large(right, 0, 300000);  // more than `take` gives
  const double needed = 3 * 512 + sizeof(float) * (5 * 5 + 4 * 7 + 5 * 7);
  state.free_bytes = needed - 1;
  CHECK_THROWS_AS(row.variant->allocate(row.problem, {}), std::bad_alloc);
  state.free_bytes = 0;  // not told
  CHECK_THROWS_AS(large.variant->allocate(large.problem, {}), std::bad_alloc);
  large.variant->release();
  CHECK_NOTHROW(row.variant->allocate(row.problem, {}));
  CHECK(state.taken.size() == 3);
  state.copies = false;
  CHECK_THROWS_AS(row.once(), std::runtime_error);
  row.variant->release();
  CHECK(state.taken.empty());
}

}  // namespace

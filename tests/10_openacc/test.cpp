// The adaptor, with a device that can be made to lie: no GPU is needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "10_openacc/cost.hpp"
#include "10_openacc/device.hpp"
#include "runner/prediction.hpp"

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
    times += variant->fetch(piece);
    return times;
  }
  course::Problem<float> problem;
  std::shared_ptr<course::Variant<float>> variant;
  course::Piece<float> piece;
};

TEST_CASE("a row that meant the GPU and would get the host is refused, unless the host was asked for") {
  const auto refusal = [](const Row& row) { return row.variant->skip_reason(row.problem, {}, {}); };
  const Row row;
  state = {};
  CHECK(refusal(row).empty());
  CHECK(row.variant->device() == "a GPU");
  state.gpu = nullptr;
  CHECK(row.variant->device() == "a GPU without a name");
  state.on_host = true;
  CHECK(refusal(row).find("GPU") != std::string::npos);
  CHECK(refusal(row).find("Fake; FAKE=host runs it on the host") != std::string::npos);
  CHECK(row.variant->device().empty());
  state.host_wanted = true;
  CHECK(refusal(row).empty());
  CHECK(row.variant->device().starts_with("host fallback: "));
}

TEST_CASE("a run that lands elsewhere than its row's memory gives no number") {
  for (const bool on_host : {false, true}) {
    state = {};
    state.on_host = on_host;
    Row row;
    row.variant->allocate(row.problem, {}, {});
    CHECK_NOTHROW(row.once());
    state.on_host = !on_host;
    CHECK_THROWS_AS(row.once(), std::runtime_error);
  }
}

TEST_CASE("the product is added to C as it was, run after run, and its phases are timed apart") {
  state = {};
  for (const Index pad : {0, 3}) {
    Row row(right, pad);
    course::Times times = row.variant->allocate(row.problem, {}, {});
    times += row.once();
    row.variant->reset();
    row.variant->run();
    row.variant->fetch(row.piece);
    CHECK((times.alloc && times.copy_in && times.product && times.copy_out));
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 5; ++j) {
        float wanted = row.problem.c(i, j);
        for (Index p = 0; p < 3; ++p) wanted += row.problem.a(i, p) * row.problem.b(p, j);
        CHECK(row.piece.c(i, j) == doctest::Approx(wanted));
      }
    CHECK(row.variant->guards_intact());
    CHECK_FALSE(state.wild);
  }
}

TEST_CASE("what distribute brings, and its time is of, is all three: a product needs no reset") {
  state = {};
  Row row;
  row.variant->allocate(row.problem, {}, {}), row.variant->distribute();
  row.variant->run(), row.variant->fetch(row.piece);
  for (Index j = 0; j < 5; ++j) CHECK_FALSE(course::is_poison(&row.piece.c(0, j), 1));
}

TEST_CASE("memory: rows with their padding between two guards of 256 bytes, all poison until it is written") {
  for (const Index n : {5, 20000}) {  // more than one copy brings
    state = {};
    Row row(right, 2, n);
    row.variant->allocate(row.problem, {}, {});
    const auto bytes = [](Index rows, Index cols) {
      return 512 + sizeof(float) * static_cast<std::size_t>(rows * (cols + 2));
    };
    std::vector<std::size_t> wanted = {bytes(4, 3), bytes(3, n), bytes(4, n)}, there;
    for (const auto& piece : state.taken) {
      there.push_back(piece.second);
      const auto count = static_cast<Index>(piece.second / sizeof(float));
      CHECK(course::is_poison(static_cast<const float*>(static_cast<const void*>(piece.first)), count));
    }
    std::sort(wanted.begin(), wanted.end()), std::sort(there.begin(), there.end());
    CHECK(there == wanted);
    row.once();
    CHECK(row.variant->guards_intact());
    CHECK_FALSE(state.wild);
    row.variant->allocate(row.problem, {}, {});
    CHECK(state.most == 3);  // the former row's is given back first
  }
}

TEST_CASE("a copy that brings nothing leaves no former product") {
  state = {};
  Row row;
  row.variant->allocate(row.problem, {}, {});
  row.once();
  state.lost = true;
  row.variant->fetch(row.piece);
  CHECK(course::is_poison(&row.piece.c(0, 0), 5));
  state.lost = false;
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
    row.variant->allocate(row.problem, {}, {});
    CHECK(row.variant->guards_intact());
    row.once();
    CHECK_FALSE(row.variant->guards_intact());
  }
}

TEST_CASE("too little memory is bad_alloc; none is kept, and a failed copy is told") {
  state = {};
  Row row;
  const double needed = 3 * 512 + sizeof(float) * (4 * 5 + 3 * 7 + 4 * 7);
  state.free_bytes = needed - 1;
  CHECK_THROWS_AS(row.variant->allocate(row.problem, {}, {}), std::bad_alloc);
  for (const double enough : {needed, 0.0}) {  // 0: not told
    state.free_bytes = enough;
    CHECK_NOTHROW(row.variant->allocate(row.problem, {}, {}));
  }
  row.variant->release();
  state.free_bytes = 1e9;
  Row large(right, 0, 300000);  // more than `take` gives
  CHECK_THROWS_AS(large.variant->allocate(large.problem, {}, {}), std::bad_alloc);
  large.variant->release();
  row.variant->allocate(row.problem, {}, {});
  CHECK(state.taken.size() == 3);
  state.copies = false;
  CHECK_THROWS_AS(row.once(), std::runtime_error);
  row.variant->release();
  CHECK(state.taken.empty());
}

TEST_CASE("memory on the host counts what would be the device's") {
  const Row row;
  state = {};
  const double on_gpu = row.variant->bytes(row.problem, {});
  state.on_host = true;
  CHECK(on_gpu == row.problem.whole_bytes() + sizeof(float) * (4 * 7));  // and what C comes back to
  CHECK(row.variant->bytes(row.problem, {}) == on_gpu + 3 * 512 + sizeof(float) * (4 * 5 + 3 * 7 + 4 * 7));
}

TEST_CASE("the H200's roofs allow what the lesson works out") {
  const course::Roofs roofs(COURSE_SOURCE "/plots/reference/h200/machine.csv");
  using CostOf = course::Cost (*)(const course::Shape&, const course::Settings&);
  const auto teraflops = [&](CostOf cost, Index n) {
    const auto prediction = roofs.predict(cost({n, n, n}, {}), "f32", "cuda", 1);
    REQUIRE(prediction);
    return 2e-12 * static_cast<double>(n * n * n) / prediction->seconds;
  };
  const auto near = [](double value) { return doctest::Approx(value).epsilon(0.02); };
  namespace cost = openacc::cost;
  CHECK(teraflops(cost::one_each<float>, 2048) == near(4.0));
  CHECK(teraflops(cost::tiled<float>, 2048) == near(8.3));
  CHECK(teraflops(cost::four_by_four<float>, 2048) == near(32));
  CHECK(teraflops(cost::four_by_four<float>, 4096) == near(16));
  CHECK(teraflops(cost::omp_target<float>, 2048) == near(0.26));
  CHECK(teraflops(cost::omp_target_simd<float>, 2048) == near(3.9));
}

}  // namespace

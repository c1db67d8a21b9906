// 05_avx2: the vector unit by hand, from eight lanes in the inner loop to the speed of the libraries.
#include "broken.hpp"
#include "caches.hpp"
#include "common/loop.hpp"
#include "common/machine.hpp"
#include "cost.hpp"

using course::Settings, course::View;

/// A variant that can run where the processor has the named instruction sets.
template <class T>
class OnSet : public course::CpuVariant<T> {
 public:
  OnSet(const char* sets, const char* vector, std::string name, std::string idea, course::Kernel<T> kernel,
        course::CostOf cost, course::Extent extent = course::no_workspace)
      : course::CpuVariant<T>(std::move(name), std::move(idea), std::move(kernel), std::move(cost),
                              std::move(extent)),
        sets_(sets) {
    this->vector = vector;
  }
  std::string needs() const override {
    const std::string missing = course::lacking(sets_);
    return missing.empty() ? "" : "this processor lacks " + missing;
  }

 private:
  const char* sets_;
};

template <class T>
course::Variants<T> variants() {
  using namespace avx2;
  course::Variants<T> list;
  const auto add = [&list](const char* set, bool threaded, auto... what) {
    const bool wide = std::string_view(set) == "avx512";
    list.push_back(std::make_shared<OnSet<T>>(
        wide ? "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl" : "avx2,fma", set, what...));
    list.back()->threaded = threaded;
  };
  using M = View<const T>;
  using C = View<T>;
  using S = const Settings&;
  const auto narrow = cost::packed<T>(6, 64 / sizeof(T), caches_here(1)),
             wide = cost::packed<T>(9, 192 / sizeof(T), caches_here(1));
  add(
      "avx2", true, "ikj_avx2", "02's ikj with lanes of intrinsics",
      [](M a, M b, C c, C, S s) { ikj_avx2<T>(a, b, c, s.threads); }, cost::ikj<T>);
  add(
      "avx2", true, "dot_avx2", "02's transposed with lanes, and a horizontal sum",
      [](M a, M b, C c, C bt, S s) { dot_avx2<T>(a, b, c, bt, s.threads); }, cost::dot<T>,
      [](const course::Shape& s) {
        return course::Shape{s.n, s.k, 0};
      });
  add(
      "avx2", false, "register_tile", "a tile of C in registers",
      [](M a, M b, C c, C, S) { register_tile<T>(a, b, c); }, cost::register_tile<T>);
  add(
      "avx2", false, "packed", "the tile in five loops over packed blocks",
      [](M a, M b, C c, C, S) { packed<T>(a, b, c, caches_here(1)); }, narrow);
  add(
      "avx2", true, "packed_threads", "packed, C in a grid of threads",
      [](M a, M b, C c, C, S s) { packed_threads<T>(a, b, c, caches_here(s.threads), s.threads); }, narrow);
  add(
      "avx512", false, "avx512", "packed with wider registers, and more",
      [](M a, M b, C c, C, S) { avx512<T>(a, b, c, caches_here(1)); }, wide);
  add(
      "avx512", true, "avx512_threads", "avx512, C in a grid of threads",
      [](M a, M b, C c, C, S s) { avx512_threads<T>(a, b, c, caches_here(s.threads), s.threads); }, wide);
  const auto add_broken = [&](const char* name, const char* idea, void (*kernel)(M, M, C)) {
    add(
        "avx2", false, name, idea, [kernel](M a, M b, C c, C, S) { kernel(a, b, c); }, course::CostOf{});
    course::broken<T>(list.back());
  };
  add_broken("edge_lost", "whole tiles only", wrong::edge_lost<T>);
  add_broken("stale_block", "B packed for the first block of k only", wrong::stale_block<T>);
  add_broken("short_mask", "a mask that is a lane short", wrong::short_mask<T>);
  return list;
}

int main(int argc, char** argv) {
  auto step = COURSE_STEP("the vector unit");
  step.threads = true;
  return course::run(argc, argv, step);
}

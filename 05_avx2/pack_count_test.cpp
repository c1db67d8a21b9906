// Counts how often packing reads each element, with a vector type that writes it down: exactly once.
#include <cstdio>
#include <vector>

#include "pack.hpp"

namespace avx2 {
namespace {

std::vector<int> reads;  // of the element whose value is its number

struct Counting {
  using Element = float;
  using Mask = Index;
  static constexpr int lanes = 4;
  float v[lanes];

  static Counting load(const float* p, Mask some = lanes) {
    Counting x{};
    for (Index i = 0; i < some; ++i) x.v[i] = p[i], ++reads[static_cast<std::size_t>(p[i])];
    return x;
  }
  void store(float* p, Mask some = lanes) const {
    for (Index i = 0; i < some; ++i) p[i] = v[i];
  }
  static Mask first(Index count) { return count < lanes ? count : lanes; }
};

struct CountingTile {
  using T = float;
  using V = Counting;
  static constexpr int nr = 8;
};

bool once(const char* what, Index rows, Index cols) {
  for (const int times : reads)
    if (times != 1)
      return std::printf("%s of %d x %d: an element was read %d times\n", what, static_cast<int>(rows),
                         static_cast<int>(cols), times),
             false;
  return true;
}

bool counted(Index rows, Index cols) {
  std::vector<float> from(static_cast<std::size_t>(rows * cols)), to(from.size() + 1000);
  for (std::size_t e = 0; e < from.size(); ++e) from[e] = static_cast<float>(e);
  const View<const float> view(from.data(), rows, cols, cols);
  reads.assign(from.size(), 0);
  copy_rows<CountingTile>(view, {to.data(), rows, cols, cols});
  if (!once("copy_rows", rows, cols)) return false;
  reads.assign(from.size(), 0);
  pack_B<CountingTile>(view, to.data());
  return once("pack_B", rows, cols);
}

}  // namespace
}  // namespace avx2

int main() {
  for (const course::Index rows : {1, 7, 8, 9, 16, 29})
    for (const course::Index cols : {1, 3, 4, 5, 7, 8, 9, 31, 32, 33})
      if (!avx2::counted(rows, cols)) return 1;
}

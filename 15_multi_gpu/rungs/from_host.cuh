// from_host: A, B and C stay in the host's memory; tiles of C come and go, panels of A and B come.
//   build/15_multi_gpu/15_multi_gpu --gpus 1,2 --size 16384 --variant from_host
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

/// A panel of k for a tile of C.
struct Step {
  Part rows, cols, k;
  std::size_t tile;  // its number
  bool first, last;  // of the tile
};

/// All of a GPU's rows of C, in tiles of `most` × `most`, each in panels of at most a quarter as much of k.
inline std::vector<Step> steps_of(Part rows, Index n, Index k, Index most) {
  std::vector<Step> steps;
  const Index deep = std::max<Index>(most / 4, 1);
  std::size_t tile = 0;
  for (Index i = 0; i < rows.count; i += most)
    for (Index j = 0; j < n; j += most, ++tile)
      for (Index p = 0; p < k; p += deep)
        steps.push_back({{rows.from + i, std::min(most, rows.count - i)},
                         {j, std::min(most, n - j)},
                         {p, std::min(deep, k - p)},
                         tile,
                         p == 0,
                         p + deep >= k});
  return steps;
}

// [from_host]
/// Three lanes: what comes, what is multiplied, what goes back. `returned` lets a tile's place be filled
/// again.
template <class T>
void from_host(Share<T>& gpu) {
  const auto [m, n, k] = gpu.group.problem.shape;
  const std::vector<Step> steps = steps_of(gpu.rows, n, k, gpu.group.most);
  const View<T> a = gpu.group.a.view(), b = gpu.group.b.view();
  const View<Result<T>> c = gpu.group.c.view();
  const auto of = [](auto matrix, Part rows, Part cols) {
    return matrix.block(rows.from, cols.from, rows.count, cols.count);
  };
  const auto a_at = [&](std::size_t s) {
    return gpu.panel_a[s % 2].block(0, 0, steps[s].rows.count, steps[s].k.count);
  };
  const auto b_at = [&](std::size_t s) {
    return gpu.panel_b[s % 2].block(0, 0, steps[s].k.count, steps[s].cols.count);
  };
  const auto c_at = [&](std::size_t s) {
    return gpu.panel_c[steps[s].tile % 2].block(0, 0, steps[s].rows.count, steps[s].cols.count);
  };
  const auto start = [&](std::size_t s) {
    if (s >= steps.size()) return;
    const auto& [rows, cols, deep, tile, first, last] = steps[s];
    gpu.copies.wait(gpu.done[s % 2]);
    gpu.copies.copy(View<const T>(of(a, rows, deep)), a_at(s), "panel of A");
    gpu.copies.copy(View<const T>(of(b, deep, cols)), b_at(s), "panel of B");
    if (first) gpu.copies.wait(gpu.returned[tile % 2]);
    if (first) gpu.copies.copy(View<const Result<T>>(of(c, rows, cols)), c_at(s), "tile of C");
    gpu.copies.record(gpu.arrived[s % 2]);
  };
  start(0);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const auto& [rows, cols, deep, tile, first, last] = steps[s];
    start(s + 1);
    gpu.products.wait(gpu.arrived[s % 2]);
    gpu.multiply(a_at(s), b_at(s), c_at(s));
    gpu.products.record(gpu.done[s % 2]);
    if (!last) continue;
    gpu.back.wait(gpu.done[s % 2]);
    gpu.back.copy(View<const Result<T>>(c_at(s)), of(c, rows, cols), "tile of C");
    gpu.back.record(gpu.returned[tile % 2]);
  }
}
// [/from_host]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

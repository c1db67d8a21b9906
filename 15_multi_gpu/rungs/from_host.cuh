// from_host: A, B and C stay in the host's memory; tiles of C come and go, panels of A and B come.
//   build/15_multi_gpu/15_multi_gpu --gpus 1,2 --size 16384 --variant from_host
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

/// A slice of a tile of C, and a panel of k for it.
struct Step {
  Part rows, cols, k;
  Index slice;              // where in the tile its columns begin
  std::size_t tile, panel;  // their numbers
  bool first, last;         // of the tile's panels
};

/// All of a GPU's rows of C in tiles of `most` × `most`, each in panels of at most a quarter as much of k,
/// each in slices of an eighth of the columns. So little must come before the first product, and little goes
/// back after the last one.
inline std::vector<Step> steps_of(Part rows, Index n, Index k, Index most) {
  std::vector<Step> steps;
  const Index deep = course::ceil_div(most, 4), slice = course::ceil_div(most, 8);
  std::size_t tile = 0, panel = 0;
  for (Index i = 0; i < rows.count; i += most)
    for (Index j = 0; j < n; j += most, ++tile)
      for (Index p = 0; p < k; p += deep, ++panel)
        for (Index at = j; at < std::min(j + most, n); at += slice)
          steps.push_back({.rows = {rows.from + i, std::min(most, rows.count - i)},
                           .cols = {at, std::min({slice, j + most - at, n - at})},
                           .k = {p, std::min(deep, k - p)},
                           .slice = at - j,
                           .tile = tile,
                           .panel = panel,
                           .first = p == 0,
                           .last = p + deep >= k});
  return steps;
}

// [from_host]
/// Three lanes: what comes, what is multiplied, what goes back. What comes is up to seven steps ahead: it has
/// the place of what step s - 8 needed, or one before. `returned` lets a tile's place be filled again.
template <class T>
void from_host(Share<T>& gpu) {
  const auto [m, n, k] = gpu.group.problem.shape;
  const std::vector<Step> steps = steps_of(gpu.rows, n, k, gpu.group.most);
  const auto of = [](auto matrix, Part rows, Part cols) {
    return matrix.view().block(rows.from, cols.from, rows.count, cols.count);
  };
  const auto a_at = [&](const Step& s) {
    return gpu.panel_a[s.panel % ahead].block(0, 0, s.rows.count, s.k.count);
  };
  const auto b_at = [&](const Step& s, std::size_t number) {
    return gpu.panel_b[number % ahead].block(0, 0, s.k.count, s.cols.count);
  };
  const auto c_at = [&](const Step& s) {
    return gpu.panel_c[s.tile % 2].block(0, s.slice, s.rows.count, s.cols.count);
  };
  const auto start = [&](std::size_t number) {
    if (number >= steps.size()) return;
    const Step& s = steps[number];
    gpu.copies.wait(gpu.done[number % ahead]);
    if (s.slice == 0) gpu.copies.copy(of(gpu.group.a, s.rows, s.k), a_at(s), "panel of A");
    gpu.copies.copy(of(gpu.group.b, s.k, s.cols), b_at(s, number), "panel of B");
    if (s.first) gpu.copies.wait(gpu.returned[s.tile % 2]);
    if (s.first) gpu.copies.copy(of(gpu.group.c, s.rows, s.cols), c_at(s), "slice of C");
    gpu.copies.record(gpu.arrived[number % ahead]);
  };
  for (std::size_t number = 0; number + 1 < ahead; ++number) start(number);
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const Step& s = steps[number];
    gpu.products.wait(gpu.arrived[number % ahead]);
    gpu.multiply(a_at(s), b_at(s, number), c_at(s));
    gpu.products.record(gpu.done[number % ahead]);
    start(number + ahead - 1);
    if (!s.last) continue;
    gpu.back.wait(gpu.done[number % ahead]);
    gpu.back.copy(c_at(s), of(gpu.group.c, s.rows, s.cols), "slice of C");
    gpu.back.record(gpu.returned[s.tile % 2]);
  }
}
// [/from_host]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

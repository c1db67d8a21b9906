// from_host: A, B and C stay in the host's memory; tiles of C come and go, panels of A and B come.
//   build/15_multi_gpu/15_multi_gpu --gpus 1,2 --size 16384 --variant from_host
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [from_host]
/// Three streams: what comes, what is multiplied, what goes back. What comes is up to seven steps ahead: each
/// place waits for the product of step s - 8, a tile's also until what was there has `returned`.
template <class T>
void from_host(Share<T>& gpu) {
  const auto [m, n, k] = gpu.group.problem.shape;
  const std::vector<Step> steps = steps_of(gpu.rows, n, k, gpu.group.most);
  const auto of = [](auto matrix, Part rows, Part cols) {
    return matrix.view().block(rows.from, cols.from, rows.count, cols.count);
  };
  const auto a_at = [&](const Step& s, std::size_t number) {
    return gpu.panel_a[number % ahead].block(0, 0, s.rows.count, s.k.count);
  };
  const auto b_at = [&](const Step& s) {
    return gpu.panel_b[s.panel % ahead].block(0, 0, s.k.count, s.cols.count);
  };
  const auto c_at = [&](const Step& s) {
    return gpu.panel_c[s.tile % ahead].block(s.slice, 0, s.rows.count, s.cols.count);
  };
  const auto start = [&](std::size_t number) {
    if (number >= steps.size()) return;
    const Step& s = steps[number];
    gpu.copies.wait(gpu.done[number % ahead]);
    if (s.slice == 0) gpu.copies.copy(of(gpu.group.b, s.k, s.cols), b_at(s), "panel of B");
    gpu.copies.copy(of(gpu.group.a, s.rows, s.k), a_at(s, number), "panel of A");
    if (s.first) gpu.copies.wait(gpu.returned[s.tile % ahead]);
    if (s.first) gpu.copies.copy(of(gpu.group.c, s.rows, s.cols), c_at(s), "slice of C");
    gpu.copies.record(gpu.arrived[number % ahead]);
  };
  for (std::size_t number = 0; number + 1 < ahead; ++number) start(number);
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const Step& s = steps[number];
    gpu.products.wait(gpu.arrived[number % ahead]);
    gpu.multiply(a_at(s, number), b_at(s), c_at(s));
    gpu.products.record(gpu.done[number % ahead]);
    if (s.last) {
      gpu.back.wait(gpu.done[number % ahead]);
      gpu.back.copy(c_at(s), of(gpu.group.c, s.rows, s.cols), "slice of C");
      gpu.back.record(gpu.returned[s.tile % ahead]);
    }
    start(number + ahead - 1);
  }
}
// [/from_host]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

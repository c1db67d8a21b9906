// from_host: A, B and C stay in the host's memory; tiles of C go back, panels of A and B and C come.
//   build/15_multi_gpu/15_multi_gpu --gpus 1,2 --size 16384 --variant from_host
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [from_host]
/// Three streams: what comes, what is multiplied, what goes back. Sums of products begin at zero, so that C
/// itself need not come before the last panel. What comes is up to seven steps and one panel ahead, and waits
/// for the last product that is in its stream by then: so nothing is in its place any more.
template <class T>
void from_host(Share<T>& gpu) {
  using R = Result<T>;
  const auto [m, n, k] = gpu.group.problem.shape;
  const std::vector<Step> steps = steps_of(gpu.rows, n, k, gpu.group.most);
  const Event& done = gpu.done[0];
  const auto of = [](auto matrix, Part rows, Part cols) {
    return matrix.view().block(rows.from, cols.from, rows.count, cols.count);
  };
  const auto a_at = [&](std::size_t number) {
    return gpu.panel_a[number % ahead].block(0, 0, steps[number].rows.count, steps[number].k.count);
  };
  const auto b_at = [&](const Step& s) {
    return gpu.panel_b[s.panel % 2].block(0, 0, s.k.count, s.cols.count);
  };
  const auto c_at = [&](std::size_t number) {
    return gpu.slice_c[number % ahead].block(0, 0, steps[number].rows.count, steps[number].cols.count);
  };
  const auto start = [&](std::size_t number) {
    const Step& s = steps[number];
    gpu.copies.wait(done);
    if (s.slice == 0) gpu.copies.copy(of(gpu.group.b, s.k, s.cols), b_at(s), "panel of B");
    gpu.copies.copy(of(gpu.group.a, s.rows, s.k), a_at(number), "panel of A");
    if (s.last) gpu.copies.copy(of(gpu.group.c, s.rows, s.cols), c_at(number), "slice of C");
    gpu.copies.record(gpu.arrived[number % ahead]);
  };
  for (std::size_t number = 0, next = 0; number < steps.size(); ++number) {
    const Step& s = steps[number];
    const View<R> sum = gpu.sum[s.tile % 2].block(s.slice, 0, s.rows.count, s.cols.count);
    while (next < std::min(number + ahead, steps.size()) && steps[next].panel < s.panel + 2) start(next++);
    gpu.products.wait(gpu.arrived[number % ahead]);
    if (s.first && s.slice == 0) gpu.products.wait(gpu.returned[s.tile % 2]);
    if (s.first) gpu.clear(sum);
    gpu.multiply(a_at(number), b_at(s), sum);
    if (s.last) gpu.add(sum, c_at(number));
    gpu.products.record(done);
    if (s.last) {
      gpu.back.wait(done);
      gpu.back.copy(sum, of(gpu.group.c, s.rows, s.cols), "slice of C");
      gpu.back.record(gpu.returned[s.tile % 2]);
    }
  }
}
// [/from_host]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

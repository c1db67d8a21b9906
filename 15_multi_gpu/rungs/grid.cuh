// grid: as overlapped, but GPUs in two dimensions: panels of A come, too, and less of B.
//   build/15_multi_gpu/15_multi_gpu --gpus 4 --size 8192 --variant overlapped,grid
#pragma once

#include "overlapped.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [grid]
/// A panel of A comes from the GPU of the same grid row that has it, one of B from the one of the same
/// column.
template <class T>
void grid(Share<T>& gpu) {
  const int Q = gpu.group.grid.Q, row = gpu.me / Q, col = gpu.me % Q;
  const std::vector<Panel> panels = panels_of(gpu.group.problem.shape.k, gpu.group.grid, gpu.group.most, row);
  const auto a_of = [&](const Share<T>& owner, std::size_t s) {
    return owner.a.block(0, panels[s].from - owner.k_of_a.from, owner.a.rows(), panels[s].count);
  };
  const auto b_of = [&](const Share<T>& owner, std::size_t s) {
    return owner.b.block(panels[s].from - owner.k_of_b.from, 0, panels[s].count, owner.b.cols());
  };
  const auto a_at = [&](std::size_t s) {
    return panels[s].a_col == col ? a_of(gpu, s)
                                  : gpu.panel_a[s % 2].block(0, 0, gpu.a.rows(), panels[s].count);
  };
  const auto b_at = [&](std::size_t s) {
    return panels[s].b_row == row ? b_of(gpu, s)
                                  : gpu.panel_b[s % 2].block(0, 0, panels[s].count, gpu.b.cols());
  };
  const auto start = [&](std::size_t s) {
    if (s >= panels.size()) return;
    const auto [from, count, a_col, b_row] = panels[s];
    gpu.copies.wait(gpu.done[s % 2]);
    if (a_col != col) gpu.copies.copy(a_of(gpu.other(row * Q + a_col), s), a_at(s), "panel of A");
    if (b_row != row) gpu.copies.copy(b_of(gpu.other(b_row * Q + col), s), b_at(s), "panel of B");
    gpu.copies.record(gpu.arrived[s % 2]);
  };
  start(0);
  for (std::size_t s = 0; s < panels.size(); ++s) {
    gpu.products.wait(gpu.arrived[s % 2]);
    gpu.multiply(a_at(s), b_at(s), gpu.c);
    gpu.products.record(gpu.done[s % 2]);
    start(s + 1);
  }
}
// [/grid]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

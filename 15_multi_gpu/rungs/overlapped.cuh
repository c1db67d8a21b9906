// overlapped: as peer, but B comes in panels; the next one arrives while this one is multiplied.
//   build/15_multi_gpu/15_multi_gpu --gpus 2 --size 8192 --variant peer,overlapped
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [overlapped]
/// SUMMA once more. A GPU begins with its own rows of B, which it need not wait for. `arrived` lets a product
/// wait for its panel, `done` the panel after next for its place.
template <class T>
void overlapped(Share<T>& gpu) {
  const std::vector<Panel> panels =
      panels_of(gpu.group.problem.shape.k, gpu.group.grid, gpu.group.most, gpu.me);
  const auto place_of = [&](std::size_t s) {
    const auto [from, count, _, owner] = panels[s];
    if (owner == gpu.me) return gpu.b.block(from - gpu.k_of_b.from, 0, count, gpu.b.cols());
    return gpu.panel_b[s % 2].block(0, 0, count, gpu.b.cols());
  };
  const auto start = [&](std::size_t s) {
    if (s >= panels.size() || panels[s].b_row == gpu.me) return;
    const Share<T>& owner = gpu.other(panels[s].b_row);
    gpu.copies.wait(gpu.done[s % 2]);
    gpu.copies.copy(
        View<const T>(owner.b.block(panels[s].from - owner.k_of_b.from, 0, panels[s].count, gpu.b.cols())),
        place_of(s), "panel of B");
    gpu.copies.record(gpu.arrived[s % 2]);
  };
  start(0);
  for (std::size_t s = 0; s < panels.size(); ++s) {
    start(s + 1);
    gpu.products.wait(gpu.arrived[s % 2]);
    gpu.multiply(gpu.a.block(0, panels[s].from, gpu.a.rows(), panels[s].count), place_of(s), gpu.c);
    gpu.products.record(gpu.done[s % 2]);
  }
}
// [/overlapped]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

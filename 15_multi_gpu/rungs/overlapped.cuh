// overlapped: as peer, but B comes in panels; the next one arrives while this one is multiplied.
//   build/15_multi_gpu/15_multi_gpu --gpus 2 --size 8192 --variant peer,overlapped
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [overlapped]
/// A product waits until its panel has `arrived`, the panel after next until the place's product is `done`.
template <class T>
void overlapped(Share<T>& gpu) {
  const std::vector<Panel> panels =
      panels_of(gpu.group.problem.shape.k, gpu.group.grid, gpu.group.most, gpu.me);
  const auto b_of = [&](const Share<T>& owner, std::size_t s) {
    return owner.b.block(panels[s].from - owner.k_of_b.from, 0, panels[s].count, owner.b.cols());
  };
  const auto b_at = [&](std::size_t s) {
    return panels[s].b_row == gpu.me ? b_of(gpu, s)
                                     : gpu.panel_b[s % 2].block(0, 0, panels[s].count, gpu.b.cols());
  };
  const auto start = [&](std::size_t s) {
    if (s >= panels.size() || panels[s].b_row == gpu.me) return;
    gpu.copies.wait(gpu.done[s % 2]);
    gpu.copies.copy(b_of(gpu.other(panels[s].b_row), s), b_at(s), "panel of B");
    gpu.copies.record(gpu.arrived[s % 2]);
  };
  start(0);
  for (std::size_t s = 0; s < panels.size(); ++s) {
    gpu.products.wait(gpu.arrived[s % 2]);
    gpu.multiply(gpu.a.block(0, panels[s].from, gpu.a.rows(), panels[s].count), b_at(s), gpu.c);
    gpu.products.record(gpu.done[s % 2]);
    start(s + 1);
  }
}
// [/overlapped]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

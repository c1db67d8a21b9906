// staged: the rows of B through the host's memory, as MPI without CUDA sends them.
//   build/15_multi_gpu/15_multi_gpu --gpus 2 --size 8192 --variant local,staged
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [staged]
/// Each GPU puts its rows of B into the host's memory; when all have done so, each takes those of the others.
template <class T>
void staged(Share<T>& gpu) {
  const View<T> host = gpu.group.b.view();
  const auto rows_of = [&](View<T> all, int g) {
    const Part rows = gpu.other(g).k_of_b;
    return all.block(rows.from, 0, rows.count, all.cols());
  };
  gpu.products.copy(gpu.b, rows_of(host, gpu.me), "to the host");
  gpu.products.finish();
  gpu.group.team.meet();
  for (int g = 0; g < gpu.group.grid.size(); ++g)
    if (g != gpu.me) gpu.products.copy(rows_of(host, g), rows_of(gpu.whole_b, g), "from the host");
  gpu.multiply(gpu.a, gpu.whole_b, gpu.c);
}
// [/staged]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

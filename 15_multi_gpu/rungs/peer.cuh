// peer: each GPU takes the rows of B from the memory of the other GPUs, over NVLink.
//   build/15_multi_gpu/15_multi_gpu --gpus 2 --size 8192 --variant staged,peer
#pragma once

#include "local.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

// [peer]
/// The next GPU's rows first: so each GPU is read by one other at a time. The copies have a stream of their
/// own (exercise 3).
template <class T>
void peer(Share<T>& gpu) {
  const int gpus = gpu.group.grid.size();
  for (int further = 1; further < gpus; ++further) {
    const Share<T>& from = gpu.other((gpu.me + further) % gpus);
    gpu.copies.copy(from.b, gpu.whole_b.block(from.k_of_b.from, 0, from.k_of_b.count, gpu.whole_b.cols()),
                    "rows of B");
  }
  gpu.copies.record(gpu.arrived[0]);
  gpu.products.wait(gpu.arrived[0]);
  gpu.multiply(gpu.a, gpu.whole_b, gpu.c);
}
// [/peer]

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

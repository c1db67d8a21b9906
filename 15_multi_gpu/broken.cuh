// Wrong on purpose: tests show that the verifier notices.
#pragma once

#include "rungs/overlapped.cuh"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {
namespace wrong {

/// The last row of B of each GPU is lost.
template <class T>
void last_rows_lost(Share<T>& gpu) {
  const int gpus = gpu.group.grid.size();
  for (int g = 0; g < gpus; ++g) {
    const View<const T> theirs = gpu.other(g).b;
    const Index rows = std::max<Index>(theirs.rows() - 1, 0);
    if (g != gpu.me)
      gpu.copies.copy(theirs.block(0, 0, rows, theirs.cols()),
                      gpu.whole_b.block(gpu.other(g).k_of_b.from, 0, rows, theirs.cols()), "rows of B");
  }
  gpu.copies.record(gpu.arrived[0]);
  gpu.products.wait(gpu.arrived[0]);
  gpu.multiply(gpu.a, gpu.whole_b, gpu.c);
}

/// Panels are multiplied before they are there.
template <class T>
void not_waited_for(Share<T>& gpu) {
  gpu.products.deaf = true, overlapped(gpu);
}
/// A panel comes where the one before last is still being multiplied.
template <class T>
void overwritten(Share<T>& gpu) {
  gpu.copies.deaf = true, overlapped(gpu);
}

}  // namespace wrong
}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

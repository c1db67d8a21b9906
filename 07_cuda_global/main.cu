// 07_cuda_global: a thread for each element of C, on the GPU or, by --emulate, on the processor.
#include "broken.cuh"
#include "cost.hpp"
#include "gemm.cuh"
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_global;
using course::broken, course::gpu, course::Memory;

/// How a launcher above and a kernel become what a variant starts: the row says the block.
template <class T>
course::Launch<T> started(void (*launcher)(Kernel<T>, Block, View<const T>, View<const T>, View<T>),
                          Kernel<T> kernel) {
  return [=](View<const T> a, View<const T> b, View<T> c, const course::Settings& settings) {
    launcher(kernel, course::block_of(settings), a, b, c);
  };
}

template <class T>
course::Variants<T> variants() {
  const auto along = started<T>(columns_along_x<T>, coalesced<T>);
  const auto wrong_kernel = [](Kernel<T> kernel) { return started<T>(columns_along_x<T>, kernel); };
  course::Variants<T> list = {
      gpu<T>("uncoalesced", "neighbouring threads: neighbouring rows",
             started<T>(rows_along_x<T>, uncoalesced<T>), cost::uncoalesced<T>),
      gpu<T>("coalesced", "neighbouring threads: neighbouring columns", along, cost::coalesced<T>),
      gpu<T>("coalesced_pitched", "… rows at the pitch that CUDA chooses", along, cost::coalesced<T>,
             {.memory = Memory::pitched}),
      gpu<T>("coalesced_unified", "… in unified memory", along, cost::coalesced<T>,
             {.memory = Memory::unified}),
      gpu<T>("coalesced_pinned", "… copied from pinned host memory", along, cost::coalesced<T>,
             {.memory = Memory::pinned}),
      gpu<T>("verified", "… and what reached the GPU is read back and compared", along, cost::coalesced<T>,
             {.verified = true}),
      broken(gpu<T>("store_outside_guard", "threads beyond C store, too",
                    wrong_kernel(wrong::store_outside_guard<T>))),
      broken(gpu<T>("b_by_row", "multiplies by the transpose", wrong_kernel(wrong::b_by_row<T>))),
      broken(gpu<T>("row_of_blocks_lost", "as many blocks as fit, not as cover C",
                    started<T>(wrong::row_of_blocks_lost<T>, coalesced<T>))),
      broken(gpu<T>("swapped", "<<<block, grid>>>", started<T>(wrong::swapped<T>, coalesced<T>))),
  };
  course::add_too_far<T>(list, along);
  for (auto& variant : list) variant->info.blocks = true;
  return list;
}

}  // namespace

COURSE_GPU_STEP("a thread for each element of C", (step.blocks = {{32, 32}, {32, 8}}))

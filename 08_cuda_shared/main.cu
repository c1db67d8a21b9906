// 08_cuda_shared: tiles in shared memory, on the GPU or, by --emulate, on the processor.
#include "broken.cuh"
#include "cost.hpp"
#include "gemm.cuh"
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_shared;
using course::broken, course::gpu, course::Memory, course::uncounted;

/// The kernels of all tile sizes, and how a variant starts the row's: a size must be known to the compiler.
template <class T>
course::Launch<T> started(Kernel<T> of_2, Kernel<T> of_4, Kernel<T> of_8, Kernel<T> of_16, Kernel<T> of_32) {
  return [=](View<const T> a, View<const T> b, View<T> c, const course::Settings& settings) {
    const Index tile = settings.tile;
    tile_a_block<T>(tile == 2    ? of_2
                    : tile == 4  ? of_4
                    : tile == 8  ? of_8
                    : tile == 16 ? of_16
                                 : of_32,
                    tile, a, b, c);
  };
}
#define OF_ALL_TILES(kernel, ...)                                                               \
  started<T>(kernel<T, 2 __VA_OPT__(, ) __VA_ARGS__>, kernel<T, 4 __VA_OPT__(, ) __VA_ARGS__>,  \
             kernel<T, 8 __VA_OPT__(, ) __VA_ARGS__>, kernel<T, 16 __VA_OPT__(, ) __VA_ARGS__>, \
             kernel<T, 32 __VA_OPT__(, ) __VA_ARGS__>)

template <class T>
course::Variants<T> variants() {
  course::Variants<T> list = {
      gpu<T>("shared", "tiles of A and B in shared memory", OF_ALL_TILES(shared), cost::shared<T>),
      gpu<T>("shared_unified", "… of matrices that both sides reach", OF_ALL_TILES(shared), cost::shared<T>,
             {.memory = Memory::unified}),
      broken(gpu<T>("no_first_barrier", "reads what is not yet written",
                    OF_ALL_TILES(wrong::barriers, false, true))),
      broken(gpu<T>("no_second_barrier", "overwrites what is still read",
                    OF_ALL_TILES(wrong::barriers, true, false))),
      broken(gpu<T>("no_guard", "right at multiples of the tile only", OF_ALL_TILES(wrong::no_guard))),
      broken(gpu<T>("unwaited", "the clock stops before the kernel does", OF_ALL_TILES(shared), uncounted,
                    {.waits = false})),
  };
  for (auto& variant : list) variant = course::with_tiles(variant);
  return list;
}

}  // namespace

COURSE_GPU_STEP("tiles of A and B in shared memory", step.tiles = {32}, step.tile_choices = {2, 4, 8, 16, 32})

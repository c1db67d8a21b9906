// 08_cuda_shared: tiles in shared memory, on the GPU or, by --emulate, on the processor.
#include "broken.cuh"
#include "cost.hpp"
#include "gemm.cuh"
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace cuda_shared;
using course::broken, course::gpu, course::Memory, course::uncounted;

template <int tile>
using Width = std::integral_constant<int, tile>;

/// Starts the kernel of the row's tile, `of(Width<16>())` for one: a size must be known to the compiler.
template <class T, class Of>
course::Launch<T> of_all_tiles(Of of) {
  return [=](View<const T> a, View<const T> b, View<T> c, const course::Settings& settings) {
    const auto start = [&](auto tile) {
      if (settings.tile == tile) tile_a_block<T>(of(tile), tile, a, b, c);
    };
    start(Width<2>()), start(Width<4>()), start(Width<8>()), start(Width<16>()), start(Width<32>());
  };
}

template <class T>
course::Variants<T> variants() {
  const auto tiled = of_all_tiles<T>([](auto tile) { return shared<T, tile>; });
  const auto unordered = of_all_tiles<T>([](auto tile) { return wrong::barriers<T, tile, false, true>; });
  const auto overwritten = of_all_tiles<T>([](auto tile) { return wrong::barriers<T, tile, true, false>; });
  const auto unguarded = of_all_tiles<T>([](auto tile) { return wrong::no_guard<T, tile>; });
  course::Variants<T> list = {
      gpu<T>("shared", "tiles of A and B in shared memory", tiled, cost::shared<T>),
      gpu<T>("shared_unified", "… of matrices in unified memory", tiled, cost::shared<T>,
             {.memory = Memory::unified}),
      broken(gpu<T>("no_first_barrier", "reads what is not yet written", unordered)),
      broken(gpu<T>("no_second_barrier", "overwrites what is still read", overwritten)),
      broken(gpu<T>("no_guard", "right at multiples of the tile only", unguarded)),
      broken(
          gpu<T>("unwaited", "the clock stops before the kernel does", tiled, uncounted, {.waits = false})),
  };
  for (auto& variant : list) variant->info.tiles = true;
  return list;
}

}  // namespace

COURSE_GPU_STEP("tiles of A and B in shared memory", step.tiles = {32}, step.tile_choices = {2, 4, 8, 16, 32})

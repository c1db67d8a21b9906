// How the rungs that several steps of a product need are started.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/step.hpp"
#include "packed.cuh"
#include "split_k.cuh"
#include "stream_k.cuh"
#include "tiled.cuh"
#include "vectors.cuh"

namespace cuda_regtile {
namespace {  // a program has both the GPU's and the emulator's

using course::Cuda, course::Launch, course::Memory, course::Needs, course::Settings;

/// The requirement of all kernels with cp.async.
const Needs for_copies{.capability = async_capability};

/// The most of k that a kernel takes: it counts steps in 32 bits, those of 2,048 tiles together.
constexpr Index most_k = Index{1} << 22;

/// Calls `product` with the matching columns of A and rows of B, at most `most` at a time.
template <class T, class F>
void panels_of_k(View<const T> a, View<const T> b, Index most, F product) {
  for (Index p = 0; p < a.cols(); p += most) {
    const Index k = std::min(most, a.cols() - p);
    product(a.block(0, p, a.rows(), k), b.block(p, 0, k, b.cols()));
  }
}

/// Launches a block for each tile, with at most `most` of k, by 16-byte loads where they are allowed.
template <class S, Index most = most_k, class T = typename S::T>
Launch<T> by_tiles(Kernel<T> fast = tiled<S, true>, Kernel<T> guarded = tiled<S, false>) {
  return [=](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    const auto kernel = all_aligned(a, b, c) ? fast : guarded;
    panels_of_k(a, b, most, [&](View<const T> a, View<const T> b) {
      tile_a_block<T>(kernel, S::BM, S::BN, Block{S::threads, 1}, a, b, c);
    });
  };
}

using Large = Tiling<float, 128, 256, 16>;

/// Partial sums and flags, allocated at the first product. They serve one stream: of two products at once
/// each would overwrite what the other's blocks have stored.
template <class S>
struct Exchange {
  Cuda::Matrix<float> sums;
  Cuda::Matrix<unsigned> ready;
  unsigned run = 0;
};

/// Equal shares for all SMs; a tile a block where 16-byte loads are not allowed.
template <class S, Index most = most_k>
Launch<float> by_stream_k() {
  return [](View<const float> a, View<const float> b, View<float> c, const Settings& settings) {
    using course::ceil_div;
    if (!is_aligned(a) || !is_aligned(b)) return by_tiles<S, most>()(a, b, c, settings);
    Exchange<S>& exchange = course::workspace<Exchange<S>>();
    const Index at_once = Cuda::multiprocessors() * S::at_once;
    if (exchange.run == 0) {
      exchange.sums = {at_once, S::BM * S::BN, 0, Memory::device};
      exchange.ready = {1, at_once, 0, Memory::device};
      exchange.ready.poison();
    }
    const Index across = ceil_div(c.cols(), S::BN), tiles = across * ceil_div(c.rows(), S::BM);
    if (tiles == 0) return;
    panels_of_k(a, b, most, [&](View<const float> a, View<const float> b) {
      const Index steps = ceil_div(a.cols(), S::BK), blocks = std::min(tiles * steps, at_once);
      const Index waves = tiles > blocks ? tiles / blocks - 1 : 0;
      const Schedule schedule{int(across), int(steps), int(waves), int(tiles - waves * blocks), int(blocks)};
      const Partials<float> partials{exchange.sums.view().data(), exchange.ready.view().data(),
                                     ++exchange.run};
      course::launch_together(stream_k<S>, Grid{blocks}, Block{S::threads}, a, b, c, schedule, partials);
    });
  };
}

/// Memory for products of one stream.
struct Workspace {
  Cuda::Matrix<float> a, b, sums;
};

/// Launches a kernel that itself waits for the one before: on Hopper it is ready when that one's blocks have
/// ended, if it was compiled for Hopper.
template <class... Parameters>
void launch_after(void (*kernel)(Parameters...), Grid grid, Block block,
                  std::type_identity_t<Parameters>... arguments) {
#ifdef __CUDACC__
  const auto waits = [kernel] {
    cudaFuncAttributes attributes;
    course::check(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
  };
  if (course::once_a_device(waits)) {
    course::launched = {grid, block};
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = course::in_cuda(grid), config.blockDim = course::in_cuda(block);
    config.attrs = &attribute, config.numAttrs = 1;
    return course::check(cudaLaunchKernelEx(&config, kernel, arguments...));
  }
#endif
  course::launch(kernel, grid, block, arguments...);
}

constexpr Index short_k = 64, large_c = Index{1} << 23;  // C is most of the bytes, and leaves the L2 cache

// [by_parts]
/// A tile a block, k in `parts`: by 16-byte loads where they are allowed. In one part `tiled` is faster.
template <class S>
void by_parts(View<const float> a, View<const float> b, View<float> c, int parts) {
  using course::ceil_div;
  const bool aligned = is_aligned(a) && is_aligned(b);
  const Index across = ceil_div(c.cols(), S::BN), tiles = across * ceil_div(c.rows(), S::BM);
  if (tiles == 0) return;
  panels_of_k(a, b, most_k, [&](View<const float> a, View<const float> b) {
    const Index steps = ceil_div(a.cols(), S::BK), count = std::clamp<Index>(parts, 1, steps);
    const Parts cut{int(across), int(tiles), int(steps), int(count), is_aligned(c)};
    if (count == 1 && aligned && (S::slices == 1 || cut.aligned_c)) {
      Kernel<float> kernel = tiled<S, true>;
      if constexpr (S::slices == 1)
        if (a.cols() <= short_k && c.rows() * c.cols() >= large_c) kernel = thin<S>;
      return tile_a_block<float>(kernel, S::BM, S::BN, {S::threads}, a, b, c);
    }
    float* const sums =
        count == 1 ? nullptr
                   : course::grow(course::workspace<Workspace>().sums, count * tiles * (S::BM * S::BN));
    const Block block{S::threads, 1, Index(aligned ? sizeof(Tiles<S>) : sizeof(Ring<S>))};
    course::launch(aligned ? split_k<S, true> : split_k<S, false>, {tiles * count}, block, a, b, c, cut,
                   sums);
    if (count > 1) launch_after(add_parts<S>, {tiles * (S::BM * S::BN / 256)}, {256}, c, cut, sums);
  });
}
// [/by_parts]

/// Whether a kernel of vectors.cuh takes products of this shape.
bool is_thin(Index m, Index n, Index k) {
  return m <= few || n <= few || (k > 0 && k <= (m * n < large_c ? flat : flat / 2));
}

template <int n>
using Int = std::integral_constant<int, n>;

// [by_vectors]
/// Of shapes that are thin.
void by_vectors(View<const float> a, View<const float> b, View<float> c) {
  using course::ceil_div;
  const Index m = c.rows(), n = c.cols();
  if (m == 0 || n == 0) return;
  const auto sized = [](Index count, auto launch) {  // the smallest kernel for so many
    count == 1 ? launch(Int<1>()) : count == 2 ? launch(Int<2>()) : launch(Int<4>());
  };
  panels_of_k(a, b, most_k, [&](View<const float> a, View<const float> b) {
    const Index k = a.cols();
    if (n <= few) {
      const auto with = [&](auto N, auto W, auto lanes) {
        course::launch(columns<N, W, lanes, float>, {ceil_div(m, 4 * 256 / lanes)}, {256}, a, b, c);
      };
      sized(n, [&](auto N) {
        if (is_aligned(a) && k % 4 == 0)
          k < 1024 ? with(N, Int<4>(), Int<32>()) : with(N, Int<4>(), Int<256>());
        else
          k < 1024 ? with(N, Int<1>(), Int<32>()) : with(N, Int<1>(), Int<256>());
      });
    } else if (m <= few) {
      const Index across = ceil_div(n, 256);
      const Index parts = std::clamp<Index>(2 * Cuda::multiprocessors() / across, 1, ceil_div(k, 32));
      const auto with = [&](auto M, auto W) {
        float* const sums = course::grow(course::workspace<Workspace>().sums, parts * M * across * 256);
        course::launch(rows<M, W, float>, {across, parts}, {256}, a, b, sums);
        launch_after(add_rows<M, float>, {across}, {256}, c, int(parts), sums);
      };
      sized(m, [&](auto M) { is_aligned(b) && n % 4 == 0 ? with(M, Int<4>()) : with(M, Int<1>()); });
    } else {
      const auto with = [&](auto kernel, int W) {
        const int least = int(ceil_div(std::min<Index>(n, 256 * W), W));
        const int across = least > 128 ? 256 : least > 64 ? 128 : least > 32 ? 64 : 32;
        tile_a_block<float>(kernel, 256 / across * 16 / W, across * W, {256}, a, b, c, across);
      };
      if (is_aligned(b) && is_aligned(c) && n % 4 == 0 && k <= 8)
        with(k <= 4 ? outer<4, 4, float> : outer<8, 4, float>, 4);
      else
        with(k <= 4 ? outer<4, 1, float> : k <= 8 ? outer<8, 1, float> : outer<16, 1, float>, 1);
    }
  });
}
// [/by_vectors]

// [packed]
/// Calls `product` with A and B, or where their rows do not begin at multiples of 16 bytes with copies.
template <class Product>
void packed(View<const float> a, View<const float> b, Product product) {
  Workspace& kept = course::workspace<Workspace>();
  const auto room = [](View<const float> from, Cuda::Matrix<float>& memory) -> View<float> {
    const Index rows = is_aligned(from) ? 0 : from.rows(), cols = course::ceil_div(from.cols(), 4) * 4;
    return {course::grow(memory, rows * cols), rows, cols, cols};
  };
  const Copy<float> of_a{a, room(a, kept.a)}, of_b{b, room(b, kept.b)};
  course::launch(pack<float>, {Index{of_a.blocks} + of_b.blocks}, {256}, of_a, of_b);
  if (of_a.blocks > 0) a = {of_a.to.data(), a.rows(), a.cols(), of_a.to.ld()};
  if (of_b.blocks > 0) b = of_b.to;
  product(a, b);
}
// [/packed]

}  // namespace
}  // namespace cuda_regtile

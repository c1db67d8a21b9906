// Which tiling for which shape: all that were tried, and the choice among them.
#pragma once

#include <algorithm>

#include "gpu/step.hpp"
#include "rungs/stream_k.cuh"
#include "rungs/tiled.cuh"

namespace cuda_regtile {
namespace {  // a program has both the GPU's and the emulator's

using course::Cuda, course::Launch, course::Memory, course::Needs, course::Settings;

/// What all kernels with cp.async need.
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

/// A tile a block, and at most `most` of k a launch: by 16-byte loads where they are allowed.
template <class S, Index most = most_k, class T = typename S::T>
Launch<T> by_tiles(Kernel<T> fast = tiled<S, true>, Kernel<T> guarded = tiled<S, false>) {
  return [=](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    const auto kernel = all_aligned(a, b, c) ? fast : guarded;
    panels_of_k(a, b, most, [&](View<const T> a, View<const T> b) {
      tile_a_block<T>(kernel, S::BM, S::BN, Block{S::threads, 1}, a, b, c);
    });
  };
}

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
    if (!all_aligned(a, b, c)) return by_tiles<S, most>()(a, b, c, settings);
    Exchange<S>& exchange = course::workspace<Exchange<S>>();
    const Index at_once = Cuda::multiprocessors() * S::at_once;
    if (exchange.run == 0) {
      exchange.sums = {at_once, S::BM * S::BN, 0, Memory::device};
      exchange.ready = {1, at_once, 0, Memory::device};
      exchange.ready.poison();
    }
    const Index across = ceil_div(c.cols(), S::BN), tiles = across * ceil_div(c.rows(), S::BM);
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

using Large = Tiling<float, 128, 256, 16>;

/// What `best` may choose: a tiling, BM × BN × BK in so many slices, by a tile a block or in equal shares.
struct Candidate {
  std::string name;
  Launch<float> launch;
  Needs needs;
};

/// A tiling's name: tiles_64x128x16_2, in two slices.
template <class S>
std::string called(const std::string& kind) {
  std::string name =
      kind + "_" + std::to_string(S::BM) + "x" + std::to_string(S::BN) + "x" + std::to_string(S::BK);
  return S::slices > 1 ? name + "_" + std::to_string(S::slices) : name;
}
template <class S>
Candidate thin_candidate() {
  return {called<S>("thin"), by_tiles<S>(thin<S, true>, thin<S, false>), for_copies};
}
template <class S>
Candidate tiled_candidate() {
  return {called<S>("tiles"), by_tiles<S>(), for_copies};
}

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all = {
      tiled_candidate<Large>(),
      tiled_candidate<Tiling<float, 128, 128, 16>>(),
      tiled_candidate<Tiling<float, 64, 128, 8>>(),
      tiled_candidate<Tiling<float, 64, 128, 16, 2>>(),
      tiled_candidate<Tiling<float, 64, 128, 32, 4>>(),
      tiled_candidate<Tiling<float, 64, 64, 16, 4>>(),
      tiled_candidate<Tiling<float, 32, 64, 32, 8>>(),
      thin_candidate<Tiling<float, 128, 128, 16>>(),
      thin_candidate<Tiling<float, 64, 128, 8>>(),
      thin_candidate<Tiling<float, 64, 64, 8>>(),
      {called<Large>("stream_k"), by_stream_k<Large>(), for_copies},
  };
  return all;
}

/// Measured: the fastest tiling of each of these shapes.
struct Choice {
  double m, n, k;
  const char* tiling;
};
constexpr Choice choices[] = {
#include "search/choices.inc"
};

/// The candidate of the measured shape that is nearest: by how many times larger or smaller each side is.
/// Without logarithms: the clock runs.
const Candidate& candidate_for(Index m, Index n, Index k) {
  static const auto chosen = [] {
    std::vector<const Candidate*> list;
    for (const Choice& choice : choices) {
      const auto found =
          std::find_if(candidates().begin(), candidates().end(),
                       [&](const Candidate& candidate) { return candidate.name == choice.tiling; });
      if (found == candidates().end())
        throw std::logic_error(std::string("choices.inc: no tiling ") + choice.tiling);
      list.push_back(&*found);
    }
    return list;
  }();
  const auto apart = [](Index side, double measured) {
    const double times = double(side + 1) / measured;
    return std::max(times, 1 / times);
  };
  const auto distance = [&](const Choice& c) { return apart(m, c.m) * apart(n, c.n) * apart(k, c.k); };
  const auto nearest = std::min_element(std::begin(choices), std::end(choices), [&](auto& one, auto& other) {
    return distance(one) < distance(other);
  });
  return *chosen[std::size_t(nearest - std::begin(choices))];
}

void best(View<const float> a, View<const float> b, View<float> c, const Settings& settings) {
  candidate_for(c.rows(), c.cols(), a.cols()).launch(a, b, c, settings);
}

}  // namespace
}  // namespace cuda_regtile

// Which kernel for which shape: all that may be taken, and the choice by the time that each should take.
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "rungs/launches.cuh"

namespace cuda_regtile {
namespace {  // a program has both the GPU's and the emulator's

/// What a kernel takes, in microseconds; `make search` fits it to what was measured.
struct Costs {
  double step;     // a multiprocessor for a step of a block
  double latency;  // a block for a step, besides; of stream_k each part of a cut tile, once
  double fixed;    // a block besides its steps
};
/// By name, for rows of A and B that begin at multiples of 16 bytes, and for others.
struct Measured {
  const char* name;
  Costs aligned, others;
};
constexpr Measured measured[] = {
#include "search/costs.inc"
};

/// What `best` may choose for a shape that is not thin.
struct Candidate {
  std::string name;
  int BM, BN, BK, at_once;
  bool cuts;  // k into parts; if not, it shares out steps equally, and takes aligned rows alone
  void (*product)(View<const float> a, View<const float> b, View<float> c, int parts);
  Costs aligned{}, others{};
};

/// Named by its sizes, as in costs.inc: 64x128x32_4 in four slices.
template <class S>
Candidate candidate(const char* kind, bool cuts, decltype(Candidate::product) product) {
  char name[64];
  const int end = std::snprintf(name, sizeof name, "%s%dx%dx%d", kind, S::BM, S::BN, S::BK);
  if (S::slices > 1) std::snprintf(name + end, sizeof name - std::size_t(end), "_%d", S::slices);
  Candidate made{name, S::BM, S::BN, S::BK, S::at_once, cuts, product};
  for (const Measured& each : measured)
    if (made.name == each.name) made.aligned = each.aligned, made.others = each.others;
  return made;
}

const std::vector<Candidate>& candidates() {
  const auto equal = [](View<const float> a, View<const float> b, View<float> c, int) {
    by_stream_k<Large>()(a, b, c, {});
  };
  const auto cut = []<class S>(S) { return candidate<S>("", true, by_parts<S>); };
  static const std::vector<Candidate> all = {
      candidate<Large>("stream_k_", false, equal),
      cut(Tiling<float, 128, 128, 8>()),
      cut(Tiling<float, 64, 128, 8>()),
      cut(Tiling<float, 64, 128, 32, 4>()),
      cut(Tiling<float, 64, 64, 8>()),
      cut(Tiling<float, 64, 64, 16, 4>()),
      cut(Tiling<float, 32, 128, 16, 2>()),
      cut(Tiling<float, 32, 64, 32, 8>()),
      cut(Tiling<float, 16, 256, 16, 4, 2>()),
      cut(Tiling<float, 128, 32, 16, 2, 8>()),
      cut(Tiling<float, 256, 16, 16, 4, 16>()),
      cut(Tiling<float, 128, 16, 32, 8, 16>()),
  };
  return all;
}

/// The numbers of parts of k that may be worth while: of at most twice the blocks that run at once.
std::vector<int> parts_of(const Candidate& of, Index m, Index n, Index k, int processors) {
  const Index tiles = course::ceil_div(m, Index{of.BM}) * course::ceil_div(n, Index{of.BN});
  const Index most = 2 * Index{processors} * of.at_once / tiles, steps = course::ceil_div(k, Index{of.BK});
  std::vector<int> parts = {1};
  for (const int count : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128})
    if (of.cuts && count <= std::min(most, steps)) parts.push_back(count);
  return parts;
}

constexpr double memory = 4e6;                 // an H200's bytes a microsecond
constexpr double launch = 4, dependent = 1.5;  // microseconds of a further kernel; of one launched early

// [model]
/// What a candidate should take for a product on a GPU of `processors` SMs, in microseconds.
double microseconds(const Candidate& of, const Costs& costs, double m, double n, double k, int parts,
                    double processors) {
  const double tiles = std::ceil(m / of.BM) * std::ceil(n / of.BN), steps = std::ceil(k / of.BK);
  if (!of.cuts) {
    const double busy = std::min(tiles * steps, processors), waves = std::floor(tiles / busy);
    const double rest = tiles - std::max(waves - 1, 0.0) * busy;
    const double cut = std::fmod(rest, busy) > 0 ? std::ceil(busy / rest) : 0;
    return tiles * steps / busy * costs.step + std::ceil(tiles / busy) * costs.fixed + cut * costs.latency;
  }
  // The blocks of a multiprocessor share its units; those that it has at once wait at the same time.
  const double blocks = std::ceil(tiles * parts / processors), rounds = std::ceil(blocks / of.at_once);
  const double computing = std::ceil(steps / parts) * (blocks * costs.step + rounds * costs.latency);
  const double moving = 4 * (m * k + k * n + 2 * m * n) / memory;
  const double adding = parts == 1 ? 0 : dependent + 8 * parts * tiles * of.BM * of.BN / memory;
  return std::max(computing, moving) + rounds * costs.fixed + adding;
}
// [/model]

constexpr std::size_t most_known = 4096;  // choices that are kept
struct Choice {
  const Candidate* kernel;
  int parts;
  bool copies;  // of A or B, whose rows do not begin at multiples of 16 bytes
};

/// What should take least time: in place or, if there is something to copy, with copies.
Choice choice_for(Index m, Index n, Index k, bool copies_a, bool copies_b) {
  auto& known = course::workspace<std::map<std::array<Index, 5>, Choice>>();  // of this device
  const std::array<Index, 5> shape{m, n, k, copies_a, copies_b};
  if (const auto at = known.find(shape); at != known.end()) return at->second;
  const double copied = copies_a * double(m * k) + copies_b * double(k * n);
  const int processors = Cuda::multiprocessors();
  Choice choice{};
  double least = HUGE_VAL;
  for (const Candidate& of : candidates())
    for (const int parts : parts_of(of, m, n, k, processors))
      for (const bool copies : {false, true}) {
        if (copies ? copied == 0 : copied > 0 && !of.cuts) continue;
        const Costs& costs = copies || copied == 0 ? of.aligned : of.others;
        const double time = microseconds(of, costs, double(m), double(n), double(k), parts, processors) +
                            (copies ? launch + 8 * copied / memory : 0);
        if (time < least) least = time, choice = {&of, parts, copies};
      }
  if (known.size() >= most_known) known.clear();
  return known[shape] = choice;
}

void best(View<const float> a, View<const float> b, View<float> c) {
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  if (m == 0 || n == 0 || k == 0) return;
  // With a longer k few blocks would have all of a thin product, or few of their threads.
  const bool too_long = k > 16384 && (n <= few ? m < 128 : n < 64);
  if (is_thin(m, n, k) && !too_long) return by_vectors(a, b, c);
  const auto [kernel, parts, copies] = choice_for(m, n, k, !is_aligned(a), !is_aligned(b));
  if (!copies) return kernel->product(a, b, c, parts);
  packed(a, b, [&, kernel = kernel, parts = parts](auto a, auto b) { kernel->product(a, b, c, parts); });
}

}  // namespace
}  // namespace cuda_regtile

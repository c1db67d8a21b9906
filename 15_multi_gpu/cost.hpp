// What each rung should take on G GPUs: the product's time by the rate of one GPU, and α + bytes/β for each
// message. Worked out in README.md and LARGER.md; predict.cpp prints it before anything is measured.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/problem.hpp"
#include "layout.hpp"

namespace multi_gpu::cost {

using course::Shape;

// [link]
/// A link that takes α seconds for a message, and 1/β for each of its bytes.
struct Link {
  double alpha = 0, beta = 0;
  double seconds(double bytes, double messages = 1) const { return messages * alpha + bytes / beta; }
};
// [/link]

/// One GPU's rates: operations of a large product, and bytes of its own memory, a second; its links, those to
/// the host with all GPUs at once: one way alone, and each way while the other is busy.
struct Rates {
  double product = 0, memory = 0;
  Link peer = {}, all_gather = {}, to_gpu = {}, from_gpu = {}, both_ways = {};
};

/// A shape's sides and, in bytes, its matrices.
struct Sizes {
  Sizes(const Shape& s, int gpus, double element)
      : G(gpus),
        m(double(s.m)),
        n(double(s.n)),
        k(double(s.k)),
        b(k * n * element),
        others(b * (G - 1) / G),
        c(m * n * sizeof(float)),
        element(element) {}
  double G, m, n, k, b, others, c, element;  // others: what a GPU receives of B
  double product(const Rates& rates) const { return 2 * m * n * k / G / rates.product; }
};

// [rows]
/// Rows: B everywhere already; through the host, out and, when all are, in; from each other GPU; by NCCL.
inline double local(const Sizes& s, const Rates& r) {
  return s.product(r);
}
inline double staged(const Sizes& s, const Rates& r) {
  return r.from_gpu.seconds(s.b / s.G) + r.to_gpu.seconds(s.others, s.G - 1) + s.product(r);
}
inline double peer(const Sizes& s, const Rates& r) {
  return r.peer.seconds(s.others, s.G - 1) + s.product(r);
}
inline double nccl(const Sizes& s, const Rates& r) {
  return r.all_gather.seconds(s.others) + s.product(r);
}
// [/rows]

// [overlapped]
/// A panel of `most` rows arrives while one is multiplied, the first while the GPU multiplies its own. Each
/// panel reads and writes C once more than one product would.
inline double overlapped(const Sizes& s, const Rates& r, double most) {
  const double deep = std::min(most, s.k / s.G), panels = s.G * std::ceil(s.k / s.G / deep);
  const double c_again = (panels - 1) * 2 * s.c / s.G / r.memory;
  const double last = s.product(r) * deep / s.k;
  return std::max(s.product(r) + c_again, r.peer.seconds(s.others, panels) + last);
}
// [/overlapped]

// [from_host]
/// Step by step, as the rung goes: what comes, when its place is free; its product, when it has come; and
/// what goes back. Each panel reads and writes its part of C, and C itself is added to the sum; that sums are
/// cleared before is left out.
inline double from_host(const Sizes& s, const Rates& r, double most) {
  std::vector<double> done;         // when the product of each step is
  std::vector<std::size_t> panels;  // their first steps
  double come = 0, back = 0;
  for (const Step& step : steps_of({0, Index(std::ceil(s.m / s.G))}, Index(s.n), Index(s.k), Index(most))) {
    const double high = double(step.rows.count), wide = double(step.cols.count), deep = double(step.k.count);
    const double c = high * wide * sizeof(float), rows = step.slice == 0 ? high + wide : high;
    if (step.slice == 0) panels.push_back(done.size());
    if (done.size() >= ahead) come = std::max(come, done[done.size() - ahead]);
    if (panels.size() > 2) come = std::max(come, done[panels[panels.size() - 2] - 1]);
    come += (come < back ? r.both_ways : r.to_gpu)
                .seconds(rows * deep * s.element + (step.last ? c : 0), 1 + (step.slice == 0) + step.last);
    const double through_memory = (step.first ? 0 : 2 * c) + (step.last ? 3 * c : 0);
    done.push_back(std::max(come, done.empty() ? 0 : done.back()) + 2 * high * wide * deep / r.product +
                   through_memory / r.memory);
    if (step.last)
      back = std::max(back, done.back()) + (done.back() < come ? r.both_ways : r.from_gpu).seconds(c);
  }
  return back;
}
// [/from_host]

}  // namespace multi_gpu::cost

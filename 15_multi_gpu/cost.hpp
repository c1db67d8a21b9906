// What each rung should take on G GPUs: the product's time by the rate of one GPU, and α + bytes/β for each
// message. Worked out in README.md and LARGER.md; predict.cpp prints it before anything is measured.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/problem.hpp"

namespace multi_gpu::cost {

using course::Shape;

// [link]
/// A link that takes α seconds for a message, and 1/β for each of its bytes.
struct Link {
  double alpha = 0, beta = 0;
  double seconds(double bytes, double messages = 1) const { return messages * alpha + bytes / beta; }
};
// [/link]

/// One GPU's rates: operations of a large product, and bytes of its own memory, a second; its links.
struct Rates {
  double product = 0, memory = 0;
  Link peer = {}, all_gather = {}, to_gpu = {}, from_gpu = {};
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
/// Tiles of `most` × `most` of C: each needs its rows of A and columns of B, and goes both ways. A panel of B
/// with an eighth of the rows of A and C comes before all products; an eighth of C goes after them.
inline double from_host(const Sizes& s, const Rates& r, double most) {
  const double rows = s.m / s.G, high = std::min(most, rows), wide = std::min(most, s.n);
  const double tiles = std::ceil(rows / most) * std::ceil(s.n / most);
  const double deep = s.k / std::ceil(s.k / (most * 3 / 8)), slice = std::min(high, most / 8);
  const double in = tiles * (high + wide) * s.k * s.element + s.c / s.G;
  const double first = (deep * wide + slice * deep) * s.element + slice * wide * sizeof(float);
  return std::max(s.product(r), r.to_gpu.seconds(in)) + r.to_gpu.seconds(first) +
         r.from_gpu.seconds(slice * wide * sizeof(float));
}
// [/from_host]

}  // namespace multi_gpu::cost

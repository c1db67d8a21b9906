// Wrong on purpose: the verifier must refuse every one of them.
#pragma once

#include "blocks.hpp"

namespace avx2::wrong {

/// Whole tiles only: the rows below the last one are never computed.
template <class T>
void edge_lost(View<const T> a, View<const T> b, View<T> c) {
  const Index rows = c.rows() / tuned_tile.mr * tuned_tile.mr;
  tuned<tuned_tile, T>(a.block(0, 0, rows, a.cols()), b, c.block(0, 0, rows, c.cols()), {}, 1);
}

/// Packs B for the first block of k and forgets to do so for the next ones.
template <class T>
void stale_block(View<const T> a, View<const T> b, View<T> c) {
  constexpr Index kc = 16;
  for (Index p = 0; p < a.cols(); p += kc) {
    const Index k = a.cols() - p < kc ? a.cols() - p : kc;
    tuned<tuned_tile, T>(a.block(0, p, c.rows(), k), b.block(0, 0, k, c.cols()), c, {}, 1);
  }
}

/// A mask that is one lane short: the last column of C stays unchanged.
template <class T>
void short_mask(View<const T> a, View<const T> b, View<T> c) {
  const Index cols = c.cols() > 0 ? c.cols() - 1 : 0;
  tuned<tuned_tile, T>(a, b.block(0, 0, b.rows(), cols), c.block(0, 0, c.rows(), cols), {}, 1);
}

/// Whole vectors along k, unmasked: the last one of each row takes what lies behind the row.
template <class T>
void unmasked(View<const T> a, View<const T> b, View<T> c, View<T> bt) {
  constexpr Index lanes = tuned_tile.bytes / Index{sizeof(T)};
  for (Index p = 0; p < b.rows(); ++p)
    for (Index j = 0; j < b.cols(); ++j) bt(j, p) = b(p, j);
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      for (Index p = 0; p < ceil_div(a.cols(), lanes) * lanes; ++p)
        c(i, j) += a.data()[i * a.ld() + p] * bt.data()[j * bt.ld() + p];
}

}  // namespace avx2::wrong

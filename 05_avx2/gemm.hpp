// 05: C += A·B with the vector unit, from eight lanes by hand to the speed of the libraries (README.md).
#pragma once

#include "common/view.hpp"

namespace avx2 {

using course::Index;
using course::View;

/// A tile of C in registers: mr rows of so many vectors, each of so many bytes.
struct TileShape {
  int mr, vectors, bytes;
  COURSE_INLINE int nr(int size) const { return vectors * bytes / size; }  // columns, of `size` bytes each
  COURSE_INLINE bool needs_32_registers() const { return mr * vectors > 16; }  // a whole tile: else 16 do
};
// 16 registers: 6 × 2 sums, 2 of B, one of A. Two units with a latency of four cycles need 8 sums in flight.
constexpr TileShape avx2_tile{6, 2, 32};
// The same with vectors twice as wide.
constexpr TileShape wide_tile{6, 2, 64};
// 32 registers: 9 × 3 sums, 3 of B, one of A; 12 loads to 27 multiply-adds.
constexpr TileShape avx512_tile{9, 3, 64};

// The first and the last of these with vectors of 16 bytes: Neon has 32 registers, too.
constexpr TileShape short_tile{6, 2, 16}, neon_tile{9, 3, 16};

// What the rungs have here; widest_tile is `tuned`'s where the processor has such registers.
#ifdef __aarch64__
constexpr TileShape textbook_tile = short_tile, tuned_tile = neon_tile, widest_tile = neon_tile;
#else
constexpr TileShape textbook_tile = avx2_tile, tuned_tile = avx2_tile, widest_tile = avx512_tile;
#endif

/// What one thread may count on: bytes of first- and second-level cache, and of its share of the third.
struct Caches {
  Index l1 = 32 << 10, l2 = 1 << 20, l3 = 16 << 20;
};

/// What hwloc says of them: of the third level, which all share, a thread's part, and no more than sixteen
/// times its second. Where hwloc knows nothing, the above.
Caches caches_here(int threads);

// All compute C += A·B, give the same bits whatever the number of threads, and need AVX2 and FMA, or Neon.

/// Rows of C, rows of B: 02's ikj with eight lanes at a time. Threads share the rows of C.
template <class T>
void ikj_avx2(View<const T> a, View<const T> b, View<T> c, int threads);

/// Dot products of rows of A and rows of Bᵀ, which it first writes into `bt` (n × k).
template <class T>
void dot_avx2(View<const T> a, View<const T> b, View<T> c, View<T> bt, int threads);

// The next ones have textbook_tile, and `tuned` tuned_tile; or a tile for AVX-512 (F, DQ, BW, VL): wide_tile
// and avx512_tile.

/// A tile of C in registers while all of k passes by.
template <TileShape tile, class T>
void register_tile(View<const T> a, View<const T> b, View<T> c);

/// register_tile in three loops over blocks that fit the caches.
template <TileShape tile, class T>
void blocked(View<const T> a, View<const T> b, View<T> c, const Caches& caches);

/// The same blocks, copied to where they lie as they are read: the five loops of the textbooks.
template <TileShape tile, class T>
void packed(View<const T> a, View<const T> b, View<T> c, const Caches& caches);

/// packed, but: edges under a mask, lines fetched ahead, copied only what pays; C in a grid of threads.
template <TileShape tile, class T>
void tuned(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads);

/// A or B as a BLAS is given it: the matrix that is stored, or its transpose.
template <class T>
struct Operand {
  View<const T> stored;
  bool transposed = false;

  COURSE_INLINE Operand(View<const T> as_stored, bool is_transposed = false)
      : stored(as_stored), transposed(is_transposed) {}
  COURSE_INLINE Index rows() const { return transposed ? stored.cols() : stored.rows(); }
  COURSE_INLINE Index cols() const { return transposed ? stored.rows() : stored.cols(); }
  COURSE_INLINE Operand block(Index i, Index j, Index rows, Index cols) const {
    return {transposed ? stored.block(j, i, cols, rows) : stored.block(i, j, rows, cols), transposed};
  }
};

/// C = alpha·A·B + beta·C; with beta 0, C is not read.
template <class T>
struct Scale {
  T alpha = 1, beta = 1;
};

/// tuned, with all that a BLAS may ask for; k >= 1.
template <TileShape tile, class T>
void gemm(Operand<T> a, Operand<T> b, View<T> c, Scale<T> scale, const Caches& caches, int threads);

/// A product as numbers, C (m × n) += A (m × k) · B (k × n): A's next row is a_row elements further, its next
/// column a_col; B and C lie by rows. m, n, k >= 1. (To pass Views takes as long as a small product.)
template <class T>
struct Product {
  Index m, n, k;
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row;
  T* c;
  Index c_row;

  COURSE_INLINE Product block(Index i, Index j, Index rows, Index cols) const {
    return {rows, cols, k, a + i * a_row, a_row, a_col, b + j, b_row, c + i * c_row + j, c_row};
  }
};

/// gemm's first attempt, with alpha 1: if C is one tile, multiplies A and B where they lie, and returns true.
template <TileShape tile, class T>
bool tiny(const Product<T>& x, T beta);
/// Its next attempt, likewise: for products in which copies of A and B would gain nothing.
template <TileShape tile, class T>
bool small(const Product<T>& x, T beta, const Caches& caches, int threads);

}  // namespace avx2

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

/// A or B as a BLAS is given it: what lies in memory, or its transpose.
template <class T>
struct Factor {
  View<const T> lies;
  bool transposed = false;

  COURSE_INLINE Factor(View<const T> as_it_lies, bool is_transposed = false)
      : lies(as_it_lies), transposed(is_transposed) {}
  COURSE_INLINE Index rows() const { return transposed ? lies.cols() : lies.rows(); }
  COURSE_INLINE Index cols() const { return transposed ? lies.rows() : lies.cols(); }
  COURSE_INLINE Factor block(Index i, Index j, Index rows, Index cols) const {
    return {transposed ? lies.block(j, i, cols, rows) : lies.block(i, j, rows, cols), transposed};
  }
};

/// C = alpha·A·B + beta·C; with beta 0, C is not read.
template <class T>
struct Scale {
  T alpha = 1, beta = 1;
};

/// tuned, with all that a BLAS may ask for; k >= 1.
template <TileShape tile, class T>
void gemm(Factor<T> a, Factor<T> b, View<T> c, Scale<T> scale, const Caches& caches, int threads);

/// What gemm does first, with alpha 1: if C is one tile, the product where A and B lie, and true. A's next
/// row is a_row elements further, its next column a_col; B and C lie by rows. m, n, k >= 1. (Numbers, not
/// Views: to pass those takes as long as the product.)
template <TileShape tile, class T>
bool tiny(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index m, Index n,
          Index k, T beta);
/// What it does next, likewise: if copies of A and B would gain nothing.
template <TileShape tile, class T>
bool small(const T* a, Index a_row, Index a_col, const T* b, Index b_row, T* c, Index c_row, Index m, Index n,
           Index k, T beta, const Caches& caches, int threads);

#define COURSE_GEMM(tile, T)                                                                            \
  template void gemm<tile>(Factor<T>, Factor<T>, View<T>, Scale<T>, const Caches&, int);                \
  template bool tiny<tile>(const T*, Index, Index, const T*, Index, T*, Index, Index, Index, Index, T); \
  template bool small<tile>(const T*, Index, Index, const T*, Index, T*, Index, Index, Index, Index, T, \
                            const Caches&, int)
/// `tuned` as the course and as a BLAS calls it, for a translation unit of its own.
#define COURSE_TUNED(tile)                             \
  COURSE_INSTANTIATE(tuned<tile>, const Caches&, int); \
  COURSE_GEMM(tile, float);                            \
  COURSE_GEMM(tile, double);                           \
  COURSE_GEMM(tile, std::int32_t)

}  // namespace avx2

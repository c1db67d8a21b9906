// The loops round the micro-kernel: blocks that fit the caches, and threads.
#pragma once

#include "gemm.hpp"
#include "micro_kernel.hpp"
#include "pack.hpp"

namespace avx2 {
namespace {

constexpr Index divide_up(Index a, Index b) {
  return (a + b - 1) / b;
}
constexpr Index smaller(Index a, Index b) {
  return a < b ? a : b;
}
constexpr Index larger(Index a, Index b) {
  return a > b ? a : b;
}

/// The longest piece, a multiple of `step`, when `all` is cut evenly into pieces of at most `most`.
constexpr Index even(Index all, Index most, Index step) {
  const Index pieces = divide_up(all, larger(most, step));
  return divide_up(divide_up(all, pieces), step) * step;
}

// [blocks]
/// Block sizes: k in pieces of kc, rows in pieces of mc, columns in pieces of nc.
struct Blocks {
  Index mc, kc, nc;
};

/// A strip of A (mr × kc) returns for every tile of a row: it gets half of L1, B's strip only passes through.
/// A block of B (kc × nc) returns for every strip of A: 5/8 of L2. A panel of A (mc × kc) returns for every
/// block of B: the share of L3. kc depends on nothing but k, so that every split of the work adds in the same
/// order.
template <class T>
Blocks blocks(const Caches& caches, Index m, Index n, Index k, Index mr, Index nr) {
  constexpr Index size = sizeof(T);
  const Index kc = even(k, caches.l1 / 2 / (mr * size), 1);
  const Index nc = even(n, caches.l2 * 5 / 8 / (kc * size), nr);
  const Index mc = even(m, caches.l3 / (kc * size), mr);
  return {mc, kc, nc};
}
// [/blocks]

// [five_loops]
/// C += A·B in one thread. What is small enough to stay in a cache is read where it lies: B in L2, A in L3.
template <class V, int mr, int vectors, class T = typename V::Element>
void five_loops(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  constexpr Index nr = vectors * V::lanes, size = sizeof(T), gap = 64 / size;
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  if (m == 0 || n == 0 || k == 0) return;
  const auto [mc, kc, nc] = blocks<T>(caches, m, n, k, mr, nr);
  const Index a_ld = divide_up(kc, gap) * gap + gap;  // rows apart by an odd way: they meet in no cache set

  static thread_local Space space;
  auto* const room = static_cast<T*>(space.of((kc * nc + mc * a_ld) * size));
  // Rows of B that are a page apart, or strips of single lines, meet in few sets of L1: those are copied
  // always.
  const bool spread = b.ld() * size <= 2048 && nr * size > 64;
  const bool copy_b = room && !(spread && k * n <= kc * nc), copy_a = room && m * a.ld() * size > caches.l3;

  for (Index ic = 0; ic < m; ic += mc)
    for (Index pc = 0; pc < k; pc += kc)
      for (Index jc = 0; jc < n; jc += nc) {
        const View<const T> b_block = b.block(pc, jc, smaller(kc, k - pc), smaller(nc, n - jc));
        if (copy_b) pack_B<V, nr>(b_block, room);
        const Index rows = smaller(mc, m - ic), kk = b_block.rows(), strips = divide_up(rows, mr);
        const View<const T> a_panel = a.block(ic, pc, rows, kk);
        const View<T> a_packed(room + kc * nc, rows, kk, a_ld);

        for (Index strip = 0; strip < strips; ++strip) {
          const Index i = rows * strip / strips, end = rows * (strip + 1) / strips;  // mr rows, or one less
          const bool last = strip == strips - 1;
          if (copy_a && jc == 0)
            pack_A<V>(a_panel.block(i, 0, end - i, kk), a_packed.block(i, 0, end - i, kk));
          const View<const T> a_strip = (copy_a ? a_packed : a_panel).block(i, 0, end - i, kk);
          const View<const T> a_next = copy_a && jc > 0 ? a_packed : a_panel;

          for (Index j = 0; j < b_block.cols(); j += nr) {
            const Index cols = smaller(nr, b_block.cols() - j);
            const View<const T> b_strip =
                copy_b ? View<const T>(room + j * kk, kk, cols, nr) : b_block.block(0, j, kk, cols);
            kernel<V, mr, vectors>(end - i, cols)(a_strip, b_strip, c.block(ic + i, jc + j, end - i, cols),
                                                  a_next.block(last ? i : end, j / nr * 2 * gap, 0, 0));
          }
        }
      }
}
// [/five_loops]

// [threads]
/// C in a grid of threads, each a product of its own: nobody waits for anybody. Of all grids the one in which
/// a thread packs least.
template <class V, int mr, int vectors, class T = typename V::Element>
void in_threads(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  constexpr Index nr = vectors * V::lanes;
  const Index m = c.rows(), n = c.cols(), k = a.cols();
  Index down = threads;
  for (Index d = 1; d < threads; ++d)
    if (threads % d == 0 && m / d + n / (threads / d) < m / down + n / (threads / down)) down = d;
  const Index across = threads / down, strips = divide_up(n, nr);

#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index t = 0; t < threads; ++t) {
    const Index row = t / across, col = t % across;
    const Index i = m * row / down, rows = m * (row + 1) / down - i;
    const Index j = smaller(n, strips * col / across * nr);
    const Index cols = smaller(n, strips * (col + 1) / across * nr) - j;
    five_loops<V, mr, vectors>(a.block(i, 0, rows, k), b.block(0, j, k, cols), c.block(i, j, rows, cols),
                               caches);
  }
}
// [/threads]

}  // namespace
}  // namespace avx2

// The loops round the micro-kernel: blocks that fit the caches, and threads.
#pragma once

#include <omp.h>

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

/// The piece, a multiple of `step`, when `all` is cut evenly into as many pieces of `most` as there must be;
/// rounded up, so it may be a little more than `most`.
constexpr Index even(Index all, Index most, Index step) {
  const Index pieces = divide_up(all, larger(most, step));
  return divide_up(divide_up(all, pieces), step) * step;
}

/// What of the block (i, j), rows × cols, lies in the matrix.
template <class T>
View<T> piece(View<T> of, Index i, Index rows, Index j, Index cols) {
  i = smaller(i, of.rows()), j = smaller(j, of.cols());
  return of.block(i, j, smaller(rows, of.rows() - i), smaller(cols, of.cols() - j));
}

// [blocks]
/// How a product is cut and what of it is copied: rows in pieces of mc, k of kc, columns of nc.
struct Plan {
  Index mc, kc, nc;
  bool copy_a, copy_b;
};

/// For C (m × n). A strip of A (mr × kc) may be 5/8 of L1. A block of B (kc × nc) returns for every strip of
/// A: 5/8 of L2. A panel of A (mc × kc) returns for every block of B: the share of L3. Of the product's
/// shape, kc depends on k alone, so that every split of the work adds in the same order.
template <class V, int mr, int vectors, class T = typename V::Element>
Plan plan(View<const T> a, View<const T> b, Index m, Index n, const Caches& caches) {
  constexpr Index size = sizeof(T), nr = vectors * V::lanes, page = 4096;
  const Index k = a.cols(), kc = even(k, caches.l1 * 5 / 8 / (mr * size), 1);
  const Index nc = even(n, caches.l2 * 5 / 8 / (kc * size), nr);
  const Index mc = even(m, caches.l3 / (kc * size), mr);
  // What fits a cache is read where it lies, and what is used once; but rows a page apart meet in few sets of
  // L1. A tile as narrow as a cache line loads A three times as often: it copies B always, and such rows of
  // A.
  const bool narrow = nr * size <= 64, b_near = k * n <= kc * nc && b.ld() * size < page;
  const bool a_near = m * a.ld() * size <= caches.l3 / 4 && !(narrow && a.ld() * size % page == 0);
  return {mc, kc, nc, !a_near && n > nr, (narrow || !b_near) && m > mr};
}
// [/blocks]

// [five_loops]
/// Threads with the same columns of C share the copy of B. `rows`, `cols`: the most that any thread of the
/// grid has; the barrier is for all of them, so all count the same blocks. room: for a block of B, for two if
/// there are several members.
template <class T>
struct Team {
  Index members, me, rows, cols;
  T* room;
};

/// C += A·B in five loops.
template <class V, int mr, int vectors, class T = typename V::Element>
void five_loops(View<const T> a, View<const T> b, View<T> c, const Plan& plan, const Team<T>& team) {
  constexpr Index nr = vectors * V::lanes, size = sizeof(T), gap = 64 / size;
  const auto [mc, kc, nc, copy_a, copy_b] = plan;
  const Index a_ld = (divide_up(kc, gap) | 1) * gap;  // an odd number of lines: rows meet in no cache set
  static thread_local Space space;
  T* const a_room = copy_a ? static_cast<T*>(space.of(mc * a_ld * size)) : nullptr;
  T *b_packed = team.room, *b_before = team.members > 1 ? team.room + kc * nc : team.room;

  for (Index ic = 0; ic < team.rows; ic += mc)
    for (Index pc = 0; pc < a.cols(); pc += kc)
      for (Index jc = 0; jc < team.cols; jc += nc) {
        const View<const T> a_panel = piece(a, ic, mc, pc, kc), b_block = piece(b, pc, kc, jc, nc);
        const View<T> c_panel = piece(c, ic, mc, jc, nc);
        const Index rows = a_panel.rows(), kk = a_panel.cols(), cols = b_block.cols();
        const View<T> a_packed(a_room, rows, kk, a_ld);

        if (copy_b) {
          std::swap(b_packed, b_before);  // a slower member may still read the last one
          const Index part = divide_up(divide_up(cols, nr), team.members) * nr,
                      j = smaller(part * team.me, cols);
          pack_B<V, nr>(piece(b_block, 0, kk, j, part), b_packed + j * kk);
          if (team.members > 1) {
#pragma omp barrier
          }
        }
        const Index strips = divide_up(rows, mr);
        for (Index strip = 0; strip < strips; ++strip) {
          const Index i = rows * strip / strips,
                      end = rows * (strip + 1) / strips;  // evenly, mr rows at most
          const View<const T> next = a_room && jc > 0 ? a_packed : a_panel;
          View<const T> a_strip = a_panel.block(i, 0, end - i, kk);
          if (a_room) {
            const View<T> copy = a_packed.block(i, 0, end - i, kk);
            if (jc == 0) pack_A<V>(a_strip, copy);
            a_strip = copy;
          }
          for (Index j = 0; j < cols; j += nr) {
            const Index width = smaller(nr, cols - j);
            const View<const T> b_strip =
                copy_b ? View<const T>(b_packed + j * kk, kk, width, nr) : b_block.block(0, j, kk, width);
            kernel<V, mr, vectors>(end - i, width)(
                a_strip, b_strip, c_panel.block(i, j, end - i, width),
                next.block(end < rows ? end : 0, smaller(j / nr * 2 * gap, kk), 0, 0));
          }
        }
      }
}

/// In one thread.
template <class V, int mr, int vectors, class T = typename V::Element>
void five_loops(View<const T> a, View<const T> b, View<T> c, const Caches& caches) {
  if (a.cols() == 0 || c.rows() == 0 || c.cols() == 0) return;
  Plan how = plan<V, mr, vectors>(a, b, c.rows(), c.cols(), caches);
  static thread_local Space space;
  T* const room = how.copy_b ? static_cast<T*>(space.of(how.kc * how.nc * Index{sizeof(T)})) : nullptr;
  how.copy_b = room;
  five_loops<V, mr, vectors>(a, b, c, how, Team<T>{1, 0, c.rows(), c.cols(), room});
}
// [/five_loops]

// [threads]
/// C in a grid of threads, of all grids the one in which a thread needs the fewest rows of A and columns of
/// B. The threads of a column share the copy of B if they are more than two and their part of B is larger
/// than L2; else each copies for itself, and nobody waits for anybody.
template <class V, int mr, int vectors, class T = typename V::Element>
void in_threads(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  const Index m = c.rows(), n = c.cols(), k = a.cols(), lanes = divide_up(n, V::lanes);
  if (m == 0 || n == 0 || k == 0) return;
  const auto most = [=](Index d) { return divide_up(m, d) + divide_up(lanes, threads / d) * V::lanes; };
  Index down = threads;
  for (Index d = threads; d > 0; --d)
    if (threads % d == 0 && most(d) < most(down)) down = d;
  const Index across = threads / down, most_rows = divide_up(m, down);
  const Index most_cols = divide_up(lanes, across) * V::lanes;

  Plan how = plan<V, mr, vectors>(a, b, most_rows, most_cols, caches);
  const bool share = down > 2 && k * most_cols * Index{sizeof(T)} > caches.l2;
  const Index block = how.kc * how.nc, blocks = share ? 2 * across : threads;
  static thread_local Space space;
  T* const room = how.copy_b ? static_cast<T*>(space.of(blocks * block * Index{sizeof(T)})) : nullptr;
  how.copy_b = room;

#pragma omp parallel num_threads(threads)
  if (omp_get_num_threads() == threads) {
    const Index t = omp_get_thread_num(), row = t / across, col = t % across;
    const Index i = m * row / down, rows = m * (row + 1) / down - i;
    const Index j = lanes * col / across * V::lanes, end = smaller(n, lanes * (col + 1) / across * V::lanes);
    const Team<T> team{share ? down : 1, share ? row : 0, most_rows, most_cols,
                       room ? room + (share ? 2 * col : t) * block : nullptr};
    five_loops<V, mr, vectors>(a.block(i, 0, rows, k), b.block(0, j, k, end - j),
                               c.block(i, j, rows, end - j), how, team);
  } else if (omp_get_thread_num() == 0) {
    five_loops<V, mr, vectors>(a, b, c, caches);  // fewer than asked for, inside another region: one does all
  }
}
// [/threads]

}  // namespace
}  // namespace avx2

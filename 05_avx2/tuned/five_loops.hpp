// The loops round the micro-kernel: blocks that fit the caches, and threads.
#pragma once

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "pack.hpp"
#include "small.hpp"

namespace avx2 {
namespace {

/// Is A (m rows) copied? Not what fits its cache, and not what is used once. With 16 registers prefetches
/// alone serve as well. But rows that lie whole pages apart meet in few sets of the first level, and a narrow
/// tile loads them often. And a transpose is.
template <class Tile, class T>
bool copies_A(const Operand<T>& a, Index m, Index n, const Caches& caches) {
  const Index row = a.stored.ld() * Tile::size;
  if (a.transposed || !with(Change::choice_of_copies)) return true;
  const bool large = Tile::shape.needs_32_registers() && m * row > caches.l3 / 4;
  return n > Tile::nr && (large || (Tile::narrow && row % 4096 == 0));
}

/// Is B (n columns) copied? Not what is a single block of rows less than a page apart, and not what is used
/// once or twice by a thread. A narrow tile fetches B so often that copying always pays. And a transpose is.
template <class Tile, class T>
bool copies_B(const Operand<T>& b, Index m, Index n, const BlockSizes& blocks) {
  const bool near = b.rows() * n <= blocks.kc * blocks.nc && b.stored.ld() * Tile::size < 4096;
  return b.transposed || !with(Change::choice_of_copies) || (m > 2 * Tile::mr && (Tile::narrow || !near));
}

// [macro_kernel]
/// C += a panel of A · a block of B, or as `scale` has it: the two loops over tiles. A micro-panel of A goes
/// into `copy`, if that has any data, just before its use; while it is used, the next one is prefetched, two
/// lines of each row a tile.
template <class Tile, class T>
void macro_kernel(const Operand<T>& a, const View<T>& copy, const BlockOfB<Tile>& b, const View<T>& c,
                  const Scale<T>& scale) {
  const Index k = a.cols(), count = ceil_div(c.rows(), Tile::mr);
  for (Index i = 0; i < count; ++i) {
    const auto [ir, rows] = part(c.rows(), count, i);
    const Index next = i + 1 < count ? ir + rows : 0;
    const Operand<T> from = a.block(ir, 0, rows, k);
    const View<const T> a_micro_panel =
        copy.data() ? copy_rows<Tile>(from, copy.block(ir, 0, rows, k)) : from.stored;
    for (Index jr = 0; jr < c.cols(); jr += Tile::nr) {
      const View<const T> b_micro_panel = b.micro_panel(jr);
      const Index cols = b_micro_panel.cols(), fetched = std::min(jr / Tile::nr * 2 * Tile::line, k);
      kernel<Tile>(rows, cols)(
          a_micro_panel, b_micro_panel, c.block(ir, jr, rows, cols), scale,
          a.transposed ? RowAddress(a.stored, 0, next) : RowAddress(a.stored, next, fetched));
    }
  }
}
// [/macro_kernel]

/// A barrier for the members of one team.
struct alignas(64) Barrier {
  std::atomic<Index> arrived = 0;  // in all rounds: nobody arrives for the next before this one is full

  void wait(Index members) {
    const Index round = arrived.fetch_add(1, std::memory_order_acq_rel) / members;
    for (int look = 0; arrived.load(std::memory_order_acquire) < (round + 1) * members; ++look)
      look < 2000 ? pause() : static_cast<void>(sched_yield());  // who we wait for may need our core
  }
};

/// A thread in its team: threads with the same columns of C, which share the copies of B. `rows` is the most
/// that one of them has, for all must count the same blocks. The buffer holds two blocks, used in turn, or
/// one if the thread is alone; or it is nullptr: B is read where it lies.
template <class Tile>
struct Member {
  using T = typename Tile::T;
  Index members, me, rows, block;  // block: elements
  T* buffer;
  Barrier& barrier;
  Index half = 0;  // of the buffer, for the next block

  /// Copies a part of b, and waits for the others'. A slower member may still read the block before this one,
  /// but nobody any earlier one.
  BlockOfB<Tile> copy(const Operand<T>& b) {
    if (!buffer) return {b, nullptr};
    T* const packed = buffer + half * block;
    const auto [first, count] = part(ceil_div(b.cols(), Tile::nr), members, me);
    const Index jr = first * Tile::nr, cols = std::min(count * Tile::nr, b.cols() - jr);
    pack_B<Tile>(b.block(0, jr, b.rows(), cols), packed + jr * b.rows());
    if (members > 1) barrier.wait(members), half = 1 - half;
    return {b, packed};
  }
};

/// The product in one thread: three loops over blocks, and the macro-kernel's two.
template <class Tile, class T>
void five_loops(const Operand<T>& a, const Operand<T>& b, const View<T>& c, const Scale<T>& scale,
                const BlockSizes& blocks, const Caches& caches, Member<Tile> team) {
  const auto [mc, kc, nc] = blocks;
  const Index ld = (ceil_div(kc, Tile::line) | 1) * Tile::line;  // odd, in lines: rows fall in different sets
  static thread_local Buffer buffer;
  const bool copy_a = copies_A<Tile>(a, team.rows, c.cols(), caches);
  T* const a_packed = copy_a ? buffer.of<T>(mc * ld) : nullptr;
  ensure_copy(a, a_packed);

  // [blocks]
  for (Index ic = 0; ic < team.rows; ic += mc)
    for (Index pc = 0; pc < a.cols(); pc += kc)
      for (Index jc = 0; jc < c.cols(); jc += nc) {
        const Index k = std::min(kc, a.cols() - pc), cols = std::min(nc, c.cols() - jc);
        const BlockOfB<Tile> b_block = team.copy(b.block(pc, jc, k, cols));
        if (ic >= c.rows()) continue;  // no row is left; it only helps to copy
        const Index rows = std::min(mc, c.rows() - ic);
        const View<T> copy(a_packed, rows, k, ld), none;
        const bool copied = a_packed && jc > 0;  // at jc = 0
        macro_kernel<Tile>(copied ? Operand<T>(copy) : a.block(ic, pc, rows, k), copied ? none : copy,
                           b_block, c.block(ic, jc, rows, cols), pc > 0 ? Scale<T>{scale.alpha} : scale);
      }
  // [/blocks]
}

/// The number of threads below each other in the grid in which a thread needs the fewest rows of A and
/// columns of B. (Columns are shared out by vectors.)
constexpr Index threads_down(Index m, Index vectors, Index lanes, Index threads) {
  const auto most = [=](Index d) { return ceil_div(m, d) + ceil_div(vectors, threads / d) * lanes; };
  Index best = threads;
  for (Index down = threads; down > 0; --down)
    if (threads % down == 0 && most(down) < most(best)) best = down;
  return best;
}

/// The distribution of C (m × n) among threads: a grid, and teams that share copies of B.
struct Split {
  Index m, vectors, n, lanes;  // columns are shared out by vectors
  Index down, across;          // threads below and beside each other
  Index members;               // of a team
  Index most_rows, most_cols;  // of a thread

  Index team(Index thread) const { return thread / members; }
  Part rows(Index thread) const { return part(m, down, thread % down); }
  Part cols(Index thread) const {
    const auto [vector, count] = part(vectors, across, thread / down);
    return {vector * lanes, std::min(count * lanes, n - vector * lanes)};
  }
};

/// Those with the same columns of C are a team if they are more than two and their part of B is larger than
/// L2; else each copies for itself, and nobody waits for anybody.
template <class Tile>
Split split_of(Index m, Index n, Index k, Index threads, const Caches& caches) {
  const Index lanes = Tile::V::lanes, vectors = ceil_div(n, lanes);
  const Index down = threads_down(m, vectors, lanes, threads), across = threads / down;
  const Index most_cols = std::min(n, ceil_div(vectors, across) * lanes);
  const Index members = down > 2 && k * most_cols * Tile::size > caches.l2 ? down : 1;
  return {m, vectors, n, lanes, down, across, members, ceil_div(m, down), most_cols};
}

/// The product in threads, each its own part of C.
template <class Tile, class T>
void in_threads(const Operand<T>& a, const Operand<T>& b, const View<T>& c, const Scale<T>& scale,
                const Caches& caches, int threads) {
  const Index k = a.cols();
  const Split split = split_of<Tile>(c.rows(), c.cols(), k, threads, caches);
  const BlockSizes most = blocks(Tile::shape, Tile::size, split.most_rows, split.most_cols, k, caches);
  const Index teams = threads / split.members, block = most.kc * most.nc;
  const Index team_elements = (split.members > 1 ? 2 : 1) * block;
  static thread_local Buffer buffer;
  T* const b_packed = copies_B<Tile>(b, split.most_rows, split.most_cols, most)
                          ? buffer.of<T>(teams * team_elements)
                          : nullptr;
  ensure_copy(b, b_packed);
  const std::unique_ptr<Barrier[]> barriers(new Barrier[static_cast<std::size_t>(teams)]);

#pragma omp parallel num_threads(threads)
  if (const Index t = omp_get_thread_num(), team = split.team(t); omp_get_num_threads() == threads) {
    const auto [i, rows] = split.rows(t);
    const auto [j, cols] = split.cols(t);
    five_loops<Tile>(a.block(i, 0, rows, k), b.block(0, j, k, cols), c.block(i, j, rows, cols), scale, most,
                     caches,
                     {.members = split.members,
                      .me = t % split.members,
                      .rows = split.most_rows,
                      .block = block,
                      .buffer = b_packed ? b_packed + team * team_elements : nullptr,
                      .barrier = *(barriers.get() + team)});
  } else if (t == 0) {
    in_threads<Tile>(a, b, c, scale, caches, 1);  // fewer than asked for, inside another region: one does all
  }
}

}  // namespace

template <TileShape tile, class T>
void gemm(Operand<T> a, Operand<T> b, View<T> c, Scale<T> scale, const Caches& caches, int threads) {
  const Index ld = a.stored.ld(), m = c.rows(), n = c.cols(), k = b.rows();
  if (!b.transposed && scale.alpha == T{1}) {
    const Index a_row = a.transposed ? 1 : ld, a_col = a.transposed ? ld : 1;
    const Product<T> x{m,        n,     k, a.stored.data(), a_row, a_col, b.stored.data(), b.stored.ld(),
                       c.data(), c.ld()};
    if (tiny<tile>(x, scale.beta) || small<tile>(x, scale.beta, caches, threads)) return;
  }
  in_threads<Tile<T, tile>>(a, b, c, scale, caches, threads);
}
template <TileShape tile, class T>
void tuned(View<const T> a, View<const T> b, View<T> c, const Caches& caches, int threads) {
  if (c.rows() > 0 && c.cols() > 0 && b.rows() > 0) gemm<tile, T>(a, b, c, {}, caches, threads);
}

}  // namespace avx2

// One GPU's share of a product: its parts of A, B and C, its streams, and what it sees of the others.
#pragma once

#include <list>

#include "asked.hpp"
#include "gpus.hpp"
#include "layout.hpp"

namespace multi_gpu {
inline namespace COURSE_RUNTIME {

using course::Problem, course::Use;

/// C += A·B on this host thread's GPU, all in its memory, by the best kernel of an earlier step.
template <class T>
using Kernel = void(Index m, Index n, Index k, const T* a, Index a_ld, const T* b, Index b_ld, Result<T>* c,
                    Index c_ld);

/// Where A, B and C are before the product, and what a GPU has memory for besides its parts.
struct Needs {
  bool whole_b = false;    // all of B, its own rows in their place
  bool b_there = false;    // … and the others' too from the beginning
  bool panel_b = false;    // two panels of other GPUs' rows of B
  bool panel_a = false;    // … of other GPUs' columns of A
  bool host_b = false;     // the host has pinned memory for B
  bool from_host = false;  // A, B and C are in the host's memory, a GPU has places for parts of them
  bool grid = false;       // GPUs in two dimensions, not one below the other
};

template <class T>
struct Share;

/// What the GPUs of a product have in common.
template <class T>
struct Group {
  const Problem<T>& problem;
  const Grid grid;
  const Index most;  // rows of a panel; of a tile of C the side
  Kernel<T>* const kernel;
  Team& team;
  std::vector<std::unique_ptr<Share<T>>> shares = {};
  Cuda::HostMatrix<T> a = {}, b = {};
  Cuda::HostMatrix<Result<T>> c = {};
};

/// Kernels of a block a row: `to` becomes zero; `from` is added to it.
template <class E>
__global__ void clear_rows(View<E> to) {
  for (Index j = threadIdx.x; j < to.cols(); j += blockDim.x) to(blockIdx.x, j) = 0;
}
template <class E>
__global__ void add_rows(View<E> to, View<const E> from) {
  for (Index j = threadIdx.x; j < to.cols(); j += blockDim.x) to(blockIdx.x, j) += from(blockIdx.x, j);
}
/// Writes elements of matrix `name` from (i0, j0) on, where they lie: a block a row.
template <class E>
__global__ void fill_rows(View<E> to, course::Fill fill, std::uint64_t seed, char name, Index i0, Index j0) {
  for (Index j = threadIdx.x; j < to.cols(); j += blockDim.x)
    to(blockIdx.x, j) = course::element<E>(fill, seed, name, i0 + blockIdx.x, j0 + j);
}

// [share]
/// One GPU's share: its rows of A, B and C, of a grid also its columns. Streams and events are its own.
template <class T>
struct Share {
  Group<T>& group;
  const int me;
  Part rows, cols, k_of_a, k_of_b;  // of C; of k in its columns of A and in its rows of B
  View<T> a, b, whole_b, panel_a[ahead], panel_b[ahead];
  View<Result<T>> c, slice_c[ahead], sum[2];
  Stream products{"products", true}, copies{"copies", false}, back{"back", false};
  Event arrived[ahead], done[ahead], returned[ahead];

  const Share& other(int gpu) const { return *group.shares[std::size_t(gpu)]; }
  /// C += A·B, put into its stream.
  void multiply(View<const T> a, View<const T> b, View<Result<T>> c) {
    products.put("product", [&] {
      group.kernel(c.rows(), c.cols(), a.cols(), a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
    });
  }
  // [/share]
  void clear(View<Result<T>> sum) {
    products.put("clear", [&] { course::launch(clear_rows<Result<T>>, {sum.rows()}, {128}, sum); });
  }
  void add(View<Result<T>> sum, View<const Result<T>> c) {
    products.put("add", [&] { course::launch(add_rows<Result<T>>, {sum.rows()}, {128}, sum, c); });
  }

  Share(Group<T>& group, int me, const Needs& needs) : group(group), me(me), needs_(needs) {
    const auto [m, n, k] = group.problem.shape;
    const Grid grid = group.grid;
    rows = part(m, grid.P, grid.row(me)), cols = part(n, grid.Q, grid.col(me));
    k_of_a = part(k, grid.Q, grid.col(me)), k_of_b = part(k, grid.P, grid.row(me));
    for (Stream* const stream : {&products, &copies, &back})
      stream->timeline = timeline_file.empty() ? nullptr : &spans;
    if (needs.from_host) {
      const Index high = std::min(rows.count, group.most), wide = std::min(n, group.most);
      Index deep = 0, slice = 0, last = 0;
      for (const Step& s : steps_of(rows, n, k, group.most)) {
        deep = std::max(deep, s.k.count), slice = std::max(slice, s.rows.count);
        if (s.last) last = std::max(last, s.rows.count);
      }
      for (View<T>& place : panel_a) place = input(slice, deep);
      for (const int one : {0, 1}) panel_b[one] = input(deep, wide), sum[one] = output(high, wide);
      for (View<Result<T>>& place : slice_c) place = output(last, wide);
      return;
    }
    a = input(rows.count, k_of_a.count);
    if (needs.whole_b)
      whole_b = input(k, n), b = whole_b.block(k_of_b.from, 0, k_of_b.count, n);
    else
      b = input(k_of_b.count, cols.count);
    c = output(rows.count, cols.count), before_ = output(rows.count, cols.count);
    const Index deep = std::min(k, group.most);
    for (const int one : {0, 1}) {
      if (needs.panel_a) panel_a[one] = input(rows.count, deep);
      if (needs.panel_b) panel_b[one] = input(deep, cols.count);
    }
    fill('A', rows.from, k_of_a.from, a), fill('C', rows.from, cols.from, before_);
    needs.b_there ? fill('B', 0, 0, whole_b) : fill('B', k_of_b.from, cols.from, b);
  }

  /// C as before the product, and poison where others' rows of B come.
  void reset() {
    spans.clear();
    Cuda::transfer<Result<T>>(before_, c);
    if (!needs_.b_there && whole_b.rows() > 0) {
      const Index end = k_of_b.from + k_of_b.count;
      poison(whole_b.block(0, 0, k_of_b.from, whole_b.cols()));
      poison(whole_b.block(end, 0, whole_b.rows() - end, whole_b.cols()));
    }
    for (const View<T>& place : panel_a) poison(place);
    for (const View<T>& place : panel_b) poison(place);
    Cuda::synchronize();
  }
  bool guards_intact() const {
    const auto intact = [](const auto& each) { return each.guards_intact(); };
    return std::all_of(inputs_.begin(), inputs_.end(), intact) &&
           std::all_of(outputs_.begin(), outputs_.end(), intact);
  }
  Timeline spans;  // of the last run, if there is a timeline

 private:
  View<T> input(Index rows, Index cols) {
    inputs_.emplace_back(rows, cols, group.problem.pad, course::Memory::device, Use::input).poison();
    return inputs_.back().view();
  }
  View<Result<T>> output(Index rows, Index cols) {
    outputs_.emplace_back(rows, cols, group.problem.pad, course::Memory::device).poison();
    return outputs_.back().view();
  }
  template <class E>
  void fill(char name, Index i0, Index j0, View<E> to) {
    const Problem<T>& problem = group.problem;
    course::launch(fill_rows<E>, course::Grid{to.rows()}, course::Block{32}, to, problem.fill, problem.seed,
                   name, i0, j0);
    Cuda::synchronize();
  }
  void poison(View<T> part) {
    const auto bytes = [](Index elements) { return std::size_t(elements) * sizeof(T); };
    if (part.rows() > 0 && part.cols() > 0)
      check(cudaMemset2D(part.data(), bytes(part.ld()), 0xff, bytes(part.cols()), std::size_t(part.rows())));
  }

  const Needs needs_;
  std::list<Cuda::Matrix<T>> inputs_;
  std::list<Cuda::Matrix<Result<T>>> outputs_;
  View<Result<T>> before_;
};

}  // namespace COURSE_RUNTIME
}  // namespace multi_gpu

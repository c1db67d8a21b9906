// The micro-kernel: a tile of C that stays in registers while k passes by.
#pragma once

#include <array>
#include <utility>

#include "../blocks.hpp"
#include "../vector.hpp"

namespace avx2 {
namespace {

/// A kernel's parameters: the type of the elements, and the tile that is kept in registers.
template <class Element, TileShape tile_shape>
struct Tile {
  using T = Element;
  using V = Vector<T, tile_shape.bytes>;
  static constexpr TileShape shape = tile_shape;
  static constexpr int mr = shape.mr, vectors = shape.vectors, nr = vectors * V::lanes;
  static constexpr int size = sizeof(T), line = 64 / size;  // bytes of an element, elements of a cache line
  static constexpr bool narrow = nr <= line;
  using Narrower = Tile<T, TileShape{shape.mr, shape.vectors - 1, shape.bytes}>;
};

/// A row's place, to be prefetched. The address is a number, not a pointer, for it may be beyond the matrix:
/// to prefetch what is there does no harm, and nothing waits for it.
struct RowAddress {
  Index at, ld;  // and bytes to the next row

  template <class T>
  RowAddress(const View<T>& of, Index i, Index j)
      : at(address(of.data()) + (i * of.ld() + j) * Index{sizeof(T)}), ld(of.ld() * Index{sizeof(T)}) {
    COURSE_CHECK(i >= 0 && i < of.rows() && j >= 0 && j <= of.cols());
  }

  static Index address(const void* p) { return reinterpret_cast<Index>(p); }
  static void to_L1(Index line) {
    if (with(Change::prefetches)) __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 3);
  }
  static void to_L2(Index line) {
    if (with(Change::prefetches)) __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 2);
  }
};

// [micro_kernel]
/// C (rows × at most nr) += A (rows × k) · B (k × as C), or as `scale` has it, in rows * vectors registers.
/// Meanwhile it fetches C and two cache lines of each row of `next`. Masked: the last vector is partly
/// outside. (Views by reference: to copy one just written member by member stalls a load, which short k would
/// feel.)
template <class Tile, int rows, bool masked, class T = typename Tile::T>
void micro_kernel(const View<const T>& a, const View<const T>& b, const View<T>& c, const Scale<T>& scale,
                  const RowAddress& next) {
  using V = typename Tile::V;
  constexpr int vectors = Tile::vectors, width = vectors * V::bytes, ahead = 8;  // B is fetched 8 rows ahead
  const auto some = V::first(c.cols() - (vectors - 1) * V::lanes);
  const auto partly = [](int j) { return masked && j == vectors - 1; };
  const auto load = [=](const T* row, int j) {
    return partly(j) ? V::load(row + j * V::lanes, some) : V::load(row + j * V::lanes);
  };

  V sum[rows][vectors] = {};
  const T* a_p[(rows + 2) / 3];  // in every third row: the others are one and two times ld further
#pragma GCC unroll 32
  for (int i = 0; i < rows; i += 3) a_p[i / 3] = &a(i, 0);

  const Index steps = a.cols() < rows ? 1 : a.cols() / rows;  // between fetches of a row of C and of `next`
  const T* b_p = b.data();
  RowAddress c_soon(c, 0, 0), next_soon = next;
  for (Index left = a.cols(); left > 0; left -= steps) {
#pragma GCC unroll 32
    for (int j = 0; j < width; j += 64) RowAddress::to_L1(c_soon.at + j);
    RowAddress::to_L1(c_soon.at + width - 1);  // where C is not aligned
    RowAddress::to_L2(next_soon.at), RowAddress::to_L2(next_soon.at + 64);
    c_soon.at += c_soon.ld, next_soon.at += next_soon.ld;

    for (Index p = left < steps ? left : steps; p > 0; --p, b_p += b.ld()) {
      V b_row[vectors];
#pragma GCC unroll 32
      for (int j = 0; j < vectors; ++j) {
        b_row[j] = load(b_p, j);
        if (j * V::bytes % 64 == 0)
          RowAddress::to_L1(RowAddress::address(b_p) + (ahead * b.ld() + j * V::lanes) * Index{sizeof(T)});
      }
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) {
        const auto a_ip = V::broadcast(a_p[i / 3] + i % 3 * a.ld());
#pragma GCC unroll 32
        for (int j = 0; j < vectors; ++j) sum[i][j].multiply_add(a_ip, b_row[j]);
      }
#pragma GCC unroll 32
      for (int i = 0; i < rows; i += 3) ++a_p[i / 3];
    }
  }

  const auto alpha = V::broadcast(&scale.alpha), beta = V::broadcast(&scale.beta);
  const auto write = [&](auto reads_C) {
    T* c_row = c.data();
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      if (i > 0) c_row += c.ld();
#pragma GCC unroll 32
      for (int j = 0; j < vectors; ++j) {
        sum[i][j].multiply(alpha);
        if constexpr (reads_C) sum[i][j].multiply_add(beta, load(c_row, j));
        partly(j) ? sum[i][j].store(c_row + j * V::lanes, some) : sum[i][j].store(c_row + j * V::lanes);
      }
    }
  };
  scale.beta != T{0} ? write(std::true_type()) : write(std::false_type());
}
// [/micro_kernel]

/// make(0), …, make(count - 1): kernels to choose from. Each argument is a constant.
template <int count>
constexpr auto table(auto make) {
  return [=]<int... i>(std::integer_sequence<int, i...>) {
    return std::array<decltype(make(std::integral_constant<int, 0>())), count>{
        make(std::integral_constant<int, i>())...};
  }
  (std::make_integer_sequence<int, count>());
}

/// The kernels of one width for 1 … mr rows: no edge computes a row in vain.
template <class Tile, bool masked>
constexpr auto of_rows = table<Tile::mr>([](auto row) { return micro_kernel<Tile, row + 1, masked>; });

/// The kernel for a tile of C, at most mr × nr: as many vectors as it has columns for.
template <class Tile>
auto kernel(Index rows, Index cols) {
  const auto row = static_cast<std::size_t>(rows - 1);
  if (cols == Tile::nr) return of_rows<Tile, false>[row];
  if constexpr (Tile::vectors > 1)
    if (cols <= Tile::nr - Tile::V::lanes) return kernel<typename Tile::Narrower>(rows, cols);
  return of_rows<Tile, true>[row];
}

}  // namespace
}  // namespace avx2

// 09's variants: which kernel, with loads of 16 bytes where rows are aligned, and without.
#include "tests/wiring.hpp"

#include "09_cuda_regtile/main.cu"

TEST_CASE_TEMPLATE("09: each variant starts the kernel that its name says", T, float, double) {
  using wiring::row;
  std::vector<wiring::Row> rows = {
      row("column_1", column<T, 1>),
      row("column_2", column<T, 2>),
      row("column_4", column<T, 4>),
      row("column_8", column<T, 8>),
      row("column_16", column<T, 16>),
      row("column_32", column<T, 32>),
      row("square", square<T>),
      row("transposed", transposed<T>),
      row("vectorised", vectorised<T, true>, vectorised<T, false>),
      row("conflict_free", conflict_free<T, true>, conflict_free<T, false>),
      row("double_buffered", double_buffered<T, true>, double_buffered<T, false>),
      row("kept_addresses", kept_addresses<T, true>, kept_addresses<T, false>),
      row("async_copies", async_copies<T, true>, async_copies<T, false>),
      row("warp_tiles", async_copies<T, true, ByWarps>, async_copies<T, false, ByWarps>),
      row("fragments_ahead", fragments_ahead<T, true>, fragments_ahead<T, false>),
      row("serpentine", tiled<Rung<T>, true, T>, tiled<Rung<T>, false, T>),
  };
  if constexpr (std::is_same_v<T, float>) {
    using Slices = Tiling<float, 64, 128, 32, 4>;
    using Small = Tiling<float, 32, 64, 32, 8>;  // best's, of small products
    rows.push_back(row("large_tiles", tiled<Large, true, T>, tiled<Large, false, T>));
    rows.push_back(row("stream_k", stream_k<Large, float>, tiled<Large, false, float>));
    rows.push_back(row("slices", tiled<Slices, true, T>, tiled<Slices, false, T>));
    rows.push_back(row("best", tiled<Small, true, T>, tiled<Small, false, T>));
  }
  wiring::check<T>(variants<T>(), rows);
}

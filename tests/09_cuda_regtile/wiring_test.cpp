// 09's variants: which kernel, with 16-byte loads or without, on which GPU, with how much memory of its own.
#include "tests/wiring.hpp"

#include "09_cuda_regtile/main.cu"

TEST_CASE("each variant of 09 starts the kernel that its name says, and asks for what that needs") {
  using wiring::address, wiring::row, wiring::Row;
  const auto device = course::Memory::device;
  const auto check = [&]<class T>(T) {
    std::vector<Row> rows = {
        row("column_1", column<T, 1>),
        row("column_2", column<T, 2>),
        row("column_4", column<T, 4>),
        row("column_8", column<T, 8>),
        row("column_16", column<T, 16>),
        row("column_32", column<T, 32>),
        row("square", square<T>),
        row("transposed", transposed<T>),
        {"vectorised", address(vectorised<T, true>), address(vectorised<T, false>)},
        {"conflict_free", address(conflict_free<T, true>), address(conflict_free<T, false>)},
        {"double_buffered", address(double_buffered<T, true>), address(double_buffered<T, false>)},
        row("padding_forgotten", wrong::padding_forgotten<T>),
        row("no_barrier", wrong::no_barrier<T>),
        row("tail_dropped", transposed<T>),
    };
    const auto rung = [&](const std::string& name, Kernel<T> fast, Kernel<T> guarded, int capability = 80) {
      rows.push_back({name, address(fast), address(guarded), device, capability});
    };
    const auto of = [&]<class S>(const std::string& name, S) { rung(name, tiled<S, true>, tiled<S, false>); };
    rung("kept_addresses", kept_addresses<T, true>, kept_addresses<T, false>, 0);
    rung("async_copies", async_copies<T, true>, async_copies<T, false>);
    rung("warp_tiles", warp_tiles<T, true>, warp_tiles<T, false>);
    rung("fragments_ahead", fragments_ahead<T, true>, fragments_ahead<T, false>);
    of("snake", Rung<T>());
    rows.push_back(row("not_waited_for", wrong::not_waited_for<T>));
    rows.back().capability = 80;
    if constexpr (std::is_same_v<T, float>) {
      of("large_tiles", Large());
      rows.push_back({"stream_k", address(stream_k<Large>), address(tiled<Large, false>), device, 80});
      of("slices", Tiling<float, 64, 128, 32, 4>());
      of("best", Tiling<float, 32, 64, 32, 8>());  // of small products
    }
    wiring::check<T>(variants<T>(), rows);
  };
  check(float()), check(double());
}

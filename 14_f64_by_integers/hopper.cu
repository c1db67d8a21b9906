// 14's products for compute capability 9.0: compiled for sm_90a alone, its passes, too, which overlap there.
#include "by_wgmma.cuh"
#include "gemm.cuh"
#include "gpu/tma.hpp"

namespace f64_by_integers {
namespace {

/// How products are made here.
struct ByWgmma {
  static constexpr int rows = hopper::BM, cols = wide;
  // [rates]
  static constexpr Rates rates{3.4, 1500, 53, true};  // of an H200
  // [/rates]

  template <auto kernel, class... Arguments>
  static void start(Index blocks, int block, const Arguments&... arguments) {
    course::launch_dependent<kernel>(dim3{unsigned(blocks)}, block, 0, arguments...);
  }
  template <class Out>
  static void multiply(const Products& all, const Out& out) {
    static_assert(sizeof(Ring) <= 227 * 1024);
    const auto map = [](const Planes& of, int high) {
      const Index all_rows = of.count * of.bytes() / of.row;
      return course::map_of(View<const std::int8_t>(of.data, all_rows, of.row, of.row), high, together);
    };
    const Schedule schedule{int(all.a.rows / rows), int(all.b.rows / cols), all.count};
    const int items = schedule.down * schedule.across * all.count;
    course::launch_dependent<by_wgmma<Out>>(dim3{unsigned(std::min(items, Cuda::multiprocessors()))},
                                            hopper::with_producer, sizeof(Ring), map(all.a, rows),
                                            map(all.b, cols), all, out, schedule);
  }
};

}  // namespace

F64Variant gemm_on_hopper(View<const double> a, View<const double> b, View<double> c, F64Variant variant) {
  return course::workspace<Gemm<ByWgmma>>()(a, b, c, variant);
}

}  // namespace f64_by_integers

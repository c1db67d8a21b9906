// Starts 13's kernels for compute capability 9.0: compiled for sm_90a alone.
#include "launch.hpp"

#include "12_cuda_hopper/tma.hpp"
#include "by_wgmma.cuh"

namespace f32_by_halves {
namespace {

using course::ceil_div;

constexpr int group_rows = 8;  // rows of tiles in a group

template <class S, int BN, int depth, int buffers>
void walk_parts(View<const typename S::Half> a, View<const typename S::Half> b, View<float> c,
                const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused,
                unsigned* report) {
  using Memory = PartsShared<S, BN, depth, buffers>;
  static_assert(sizeof(Memory) <= 227 * 1024);
  const GroupedOrder order{int(ceil_div(c.rows(), BM)), int(ceil_div(c.cols(), BN)), group_rows};
  const unsigned blocks = unsigned(std::min(order.down * order.across, course::Cuda::multiprocessors()));
  const bool by_tma = adds_to(c);
  launch<by_wgmma<S, BN, depth, buffers>>(
      dim3{blocks}, with_producer, sizeof(Memory), map_of(a, BM, BK, S::parts), map_of(b, BK, 64, S::parts),
      by_tma ? map_of(c, 16, 32) : CUtensorMap{}, c, by_tma, order, int(b.rows() / S::parts), a_scales,
      b_scales, found, refused, report);
}

/// Narrow tiles if C has too few wide ones: 64 columns take six tenths of the time that 128 take.
int parts_width_for(View<const float> c) {
  const auto waves = [&](Index width) {
    return ceil_div(ceil_div(c.rows(), BM) * ceil_div(c.cols(), width), course::Cuda::multiprocessors());
  };
  return double(waves(64)) * 0.6 < double(waves(128)) ? 64 : 128;
}

}  // namespace

template <class S>
void by_wgmma(View<const typename S::Half> a, View<const typename S::Half> b, View<float> c,
              const int* a_scales, const int* b_scales, const unsigned* found, unsigned refused,
              unsigned* report) {
  const auto start = [&]<int BN, int depth>() {
    walk_parts<S, BN, depth, 2>(a, b, c, a_scales, b_scales, found, refused, report);
  };
  const bool narrow = parts_width_for(c) == 64;
  if constexpr (S::parts == 2)
    narrow ? start.template operator()<64, 4>() : start.template operator()<128, 3>();
  else
    narrow ? start.template operator()<64, 2>() : start.template operator()<128, 2>();
}
template void by_wgmma<Fp16x2>(View<const f16>, View<const f16>, View<float>, const int*, const int*,
                               const unsigned*, unsigned, unsigned*);
template void by_wgmma<Bf16x3>(View<const bf16>, View<const bf16>, View<float>, const int*, const int*,
                               const unsigned*, unsigned, unsigned*);

}  // namespace f32_by_halves

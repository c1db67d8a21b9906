// 11's stages as a library.
#include "library.hpp"

#include "rungs/stages.cuh"

void cuda_tensor::by_stages(View<const bf16> a, View<const bf16> b, View<float> c) {
  tile_a_block<bf16>(is_aligned(a) && is_aligned(b) ? stages<true> : stages<false>, BM, BN, threads, a, b, c);
}

// 11's stages as a library.
#include "library.hpp"

#include "rungs/stages.cuh"
#include "rungs/wide.cuh"

void cuda_tensor::by_stages(View<const bf16> a, View<const bf16> b, View<float> c) {
  tile_a_block<bf16>(is_aligned(a) && is_aligned(b) ? stages<true> : stages<false>, BM, BN, threads, a, b, c);
}
void cuda_tensor::by_stages(View<const tf32> a, View<const tf32> b, View<float> c) {
  product_of_wide<tf32>(a, b, c);
}
void cuda_tensor::by_stages(View<const double> a, View<const double> b, View<double> c) {
  product_of_wide<double>(a, b, c);
}

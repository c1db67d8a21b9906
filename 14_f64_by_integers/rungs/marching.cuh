// marching: as panels, but no producer runs far ahead, on Hopper. Blocks that stay drift apart in k, and
// then L2 has lost a panel before the last of those that share it has read it.
//   build/14_f64_by_integers/14_f64_by_integers --size 16384 --variant panels,marching
#pragma once

#include "../planes.cuh"

namespace f64_by_integers {
namespace {

constexpr int steps_a_march = 8;
/// A producer that has begun so many marches begins another one, as soon as all have begun as many in the
/// mean.
// [march]
__device__ inline void march(unsigned* all_begun, unsigned& begun, unsigned blocks) {
  atomicAdd(all_begun, 1);
  while (*static_cast<volatile unsigned*>(all_begun) < begun * blocks) {
  }
  ++begun;
}
// [/march]

}  // namespace
}  // namespace f64_by_integers

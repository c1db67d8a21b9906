// The emulator's sum of a tensor core (truncated_sum) against the GPU's mma.sync and, on Hopper, wgmma, bit
// by bit, from inputs that tell one way to add from another. Exits with 77 if there is no GPU for it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "13_f32_by_halves/f16.hpp"
#include "gpu/ptx.cuh"

namespace course::emulator {
float truncated_sum(float sum, const float (&a)[16], const float (&b)[16], int least);
}

namespace {

using namespace course::ptx;
using course::bf16, f32_by_halves::f16;

/// One mma's matrices; their elements are exact in the type that is multiplied.
struct Sample {
  float a[16][16], b[16][8], c[16][8];
};
constexpr int groups = 128, warps = 4;  // a group's samples have the same B

template <class T, class Fragment, int rows, int cols>
__device__ Fragment fragment(const float (&matrix)[rows][cols]) {
  Fragment made = {};
  for (int e = 0; e < int(sizeof(Fragment) / 2); ++e) {
    const Place at = Fragment::place(int(threadIdx.x) % 32, e);
    made.of[e / 2] |= std::uint32_t{T(matrix[at.row][at.col]).bits} << e % 2 * 16;
  }
  return made;
}

/// C += A·B of one sample a warp.
template <class T, bool by_wgmma>
__global__ void multiply(Sample* samples) {
  Sample& mine = samples[blockIdx.x * warps + threadIdx.x / 32];
  const int lane = int(threadIdx.x) % 32;
  const auto a = fragment<T, FragmentA>(mine.a);
  const auto b = fragment<T, FragmentB>(mine.b);
  FragmentC c;
  const auto of = [&](int e) -> float& {
    return mine.c[FragmentC::place(lane, e).row][FragmentC::place(lane, e).col];
  };
  for (int e = 0; e < 4; ++e) c.of[e] = of(e);
  if constexpr (!by_wgmma) {
    mma_sync<T>(c, a, b);
  } else {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    // Four warps are one group with A of 64 × 16. B is in shared memory, as two matrices of 8 × 8 by columns.
    alignas(128) __shared__ std::uint32_t of_b[2][32];
    if (threadIdx.x < 32) of_b[0][lane] = b.of[0], of_b[1][lane] = b.of[1];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the tensor core reads what threads wrote
    __syncthreads();
    const std::uint64_t described = __cvta_generic_to_shared(of_b) / 16 | 128 / 16 << 16 | 256ull / 16 << 32;
#define COURSE_WGMMA(type)                                                     \
  asm volatile(                                                                \
      "wgmma.fence.sync.aligned;\n"                                            \
      "wgmma.mma_async.sync.aligned.m64n8k16.f32." type "." type               \
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;\n"                 \
      "wgmma.commit_group.sync.aligned;\n"                                     \
      "wgmma.wait_group.sync.aligned 0;\n"                                     \
      : "+f"(c.of[0]), "+f"(c.of[1]), "+f"(c.of[2]), "+f"(c.of[3])             \
      : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "l"(described) \
      : "memory")
    if constexpr (std::is_same_v<T, bf16>)
      COURSE_WGMMA("bf16");
    else
      COURSE_WGMMA("f16");
#else
    __trap();
#endif
  }
  for (int e = 0; e < 4; ++e) of(e) = c.of[e];
}

/// Bounds of the exponents of A's, B's and C's elements, and what is special.
struct Range {
  int low, high;
};
enum Special { nothing, one_huge, cancelling, zeros, negative_zeros, not_finite };
struct Class {
  const char* name;
  Range a, b, c;
  Special special = nothing;
};
template <class T>
constexpr bool is_bf16 = std::is_same_v<T, bf16>;
template <class T>
constexpr int least = is_bf16<T> ? -126 : -14;  // exponent of a normal number
template <class T>
constexpr int most = is_bf16<T> ? 127 : 15;
template <class T>
constexpr int last = is_bf16<T> ? -133 : -24;  // of a denormal

template <class T>
std::vector<Class> classes() {
  constexpr Range denormal{last<T>, least<T> + 1}, middle{-6, 6}, wide{-20, 20};
  return {
      {"near 1", {0, 0}, {0, 0}, {0, 0}},
      {"within 2^12", middle, middle, {-12, 12}},
      {"within 2^40", wide, wide, {-40, 40}},
      {"one huge product", {-3, 0}, {-3, 0}, {-6, 0}, one_huge},
      {"C huge", {-4, 0}, {-4, 0}, {10, 30}},
      {"C tiny", {-4, 0}, {-4, 0}, {-40, -10}},
      {"cancelling", middle, middle, {-40, -5}, cancelling},
      {"A denormal", denormal, {most<T> - 4, most<T>}, {-10, 4}},
      {"A and B denormal", denormal, denormal, {-149, is_bf16<T> ? -140 : -30}},
      {"D denormal", {-70, -62}, {-80, -70}, {-149, -130}, is_bf16<T> ? nothing : zeros},
      {"zeros of both signs", middle, middle, {-12, 12}, zeros},
      {"negative zeros alone", middle, middle, {-12, 12}, negative_zeros},
      {"overflow", {most<T> - 2, most<T>}, {is_bf16<T> ? -2 : most<T>, is_bf16<T> ? 0 : most<T>}, {127, 127}},
      {"NaN, infinity", {-2, 2}, {-2, 2}, {-2, 2}, not_finite}};
}

template <class T>
std::vector<Sample> samples(const Class& which) {
  std::mt19937 random{987654};
  const auto below = [&](int end) { return int(random() % unsigned(end)); };
  const auto element = [&](Range range, int least, int most) {
    if (which.special == zeros && below(2)) return below(2) ? 0.f : -0.f;
    if (which.special == not_finite && below(60) == 0)
      return std::array{INFINITY, -INFINITY, NAN}[std::size_t(below(3))];
    const int low = std::clamp(range.low, least, most), high = std::clamp(range.high, least, most);
    const float size = std::ldexp(1 + float(below(1 << 23)) * 0x1p-23f, low + below(high - low + 1));
    return below(2) ? size : -size;
  };
  const auto half = [&](Range range) {
    const float x = element(range, last<T>, most<T>), rounded = T(x);
    return std::isinf(rounded) && !std::isinf(x) ? std::copysign(std::ldexp(1.f, most<T>), x) : rounded;
  };
  std::vector<Sample> made(groups * warps);
  for (int s = 0; s < groups * warps; ++s) {
    Sample& sample = made[std::size_t(s)];
    const int apart = s / warps % 2 ? 8 : 1;  // products that cancel
    for (auto& row : sample.a)
      for (float& x : row) x = half(which.a);
    for (auto& row : sample.b)
      for (float& x : row) x = half(which.b);
    for (auto& row : sample.c)
      for (float& x : row) x = element(which.c, -149, 127);
    if (which.special == one_huge)
      for (float& x : sample.b[below(16)]) x *= 0x1p12f;
    for (int p = 0; which.special == cancelling && p < 16; ++p)
      for (auto& row : sample.a)
        if (p % 8 == 7)  // what is left
          row[p] *= 0x1p-8f;
        else if ((p & apart) != 0 && (p ^ apart) % 8 != 7)
          row[p] = -row[p ^ apart];
    for (int p = 0; which.special == cancelling && p < 16; ++p)
      if ((p & apart) != 0) std::copy_n(sample.b[p ^ apart], 8, sample.b[p]);
    if (which.special == negative_zeros)
      std::fill_n(&sample.a[0][0], 256, 0.f), std::fill_n(&sample.b[0][0], 128, -0.f),
          std::fill_n(&sample.c[0][0], 128, -0.f);
    if (s % warps != 0) std::memcpy(sample.b, made[std::size_t(s - 1)].b, sizeof(sample.b));
  }
  return made;
}

/// What the GPU makes of them.
template <class T, bool by_wgmma>
std::vector<Sample> multiplied(std::vector<Sample> samples) {
  Sample* there = nullptr;
  const std::size_t bytes = samples.size() * sizeof(Sample);
  course::check(cudaMalloc(reinterpret_cast<void**>(&there), bytes));
  course::check(cudaMemcpy(there, samples.data(), bytes, cudaMemcpyHostToDevice));
  course::launch(multiply<T, by_wgmma>, {groups}, {32 * warps}, there);
  course::check(cudaMemcpy(samples.data(), there, bytes, cudaMemcpyDeviceToHost));
  course::check(cudaFree(there));
  return samples;
}

/// Compares the sums of all classes; returns how many differ.
template <class T, bool by_wgmma>
int differences(const char* unit) {
  int wrong = 0;
  for (const Class& which : classes<T>()) {
    const std::vector<Sample> before = samples<T>(which), after = multiplied<T, by_wgmma>(before);
    int wrong_here = 0;
    for (std::size_t s = 0; s < before.size(); ++s)
      for (int at = 0; at < 16 * 8; ++at) {
        const int i = at / 8, j = at % 8;
        float column[16];
        for (int p = 0; p < 16; ++p) column[p] = before[s].b[p][j];
        const float c = before[s].c[i][j], d = after[s].c[i][j];
        const float expected = course::emulator::truncated_sum(c, before[s].a[i], column, least<T>);
        if (std::memcmp(&d, &expected, 4) == 0 || (std::isnan(d) && std::isnan(expected)) || wrong_here++ > 2)
          continue;
        std::printf("  C %a, D %a, emulator %a;", c, d, expected);
        for (int p = 0; p < 16; ++p) std::printf(" %a*%a", before[s].a[i][p], column[p]);
        std::puts("");
      }
    wrong += wrong_here;
    std::printf("%s %s: %d of %d sums differ\n", unit, which.name, wrong_here, groups * warps * 128);
  }
  return wrong;
}

}  // namespace

int main() {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    std::puts("skipped: needs a GPU of compute capability 9.0, whose sum is the emulator's");
    return 77;
  }
  const int wrong = differences<bf16, false>("mma bf16") + differences<f16, false>("mma f16") +
                    differences<bf16, true>("wgmma bf16") + differences<f16, true>("wgmma f16");
  return wrong == 0 ? 0 : 1;
}

// PTX's words for the emulator, those of gpu/ptx.cuh and of single steps: what a warp's lanes do together,
// one of them does for all.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "gpu/ptx.cuh"

namespace course::ptx {

#define COURSE_WHERE const char *file = __builtin_FILE(), int line = __builtin_LINE()  // of the call

inline void need(const void* address, std::uintptr_t multiple) {
  if (reinterpret_cast<std::uintptr_t>(address) % multiple != 0)
    throw std::runtime_error("misaligned address");  // what CUDA says
}

/// The part of a factor that a tensor core uses: of a float as TF32, the upper 19 bits.
template <class T>
float factor(T x) {
  return x;
}
inline float factor(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x1fffu);
}
inline double factor(double x) {
  return x;
}
inline int factor(std::int8_t x) {
  return x;
}
/// A tensor core's way of adding products to a sum.
template <class T>
float sum_of(float sum, const float (&a)[16], const float (&b)[16]) {
  constexpr bool has_exponents_of_float = std::is_same_v<T, bf16> || std::is_same_v<T, float>;
  return emulator::truncated_sum(sum, a, b, has_exponents_of_float ? -126 : -14);
}
template <class T>
double sum_of(double sum, const double (&a)[16], const double (&b)[16]) {
  for (int p = 0; p < 8; ++p) sum = std::fma(a[p], b[p], sum);
  return sum;
}

template <class T>
int sum_of(int sum, const int (&a)[32], const int (&b)[32]) {
  for (int p = 0; p < 32; ++p) sum = int(unsigned(sum) + unsigned(a[p] * b[p]));  // modulo 2^32
  return sum;
}

/// C += A·B, for fragments and for WMMA's matrices.
template <class T, class C, class A, class B>
void mma_sync(C& c, const A& a, const B& b, COURSE_WHERE) {
  auto mine = std::tie(c, a, b);
  const auto work = [](void* const(&lanes)[32]) {
    const auto of = [&](int l) { return *static_cast<decltype(mine)*>(lanes[l]); };
    using Sum = std::remove_reference_t<decltype(c.of[0])>;
    constexpr int depth = sizeof(T) == 1 ? 32 : 16;
    Sum rows[16][depth] = {}, cols[16][depth] = {};  // zeros beyond p = 8, if a fragment ends there
    for (int l = 0; l < 32; ++l) {
      T of_a[sizeof(A) / sizeof(T)], of_b[sizeof(B) / sizeof(T)];
      std::memcpy(of_a, &std::get<1>(of(l)), sizeof(A)), std::memcpy(of_b, &std::get<2>(of(l)), sizeof(B));
      for (int e = 0; e < int(std::size(of_a)); ++e)
        rows[A::place(l, e).row][A::place(l, e).col] = factor(of_a[e]);
      for (int e = 0; e < int(std::size(of_b)); ++e)
        cols[B::place(l, e).col][B::place(l, e).row] = factor(of_b[e]);
    }
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < int(sizeof(C) / sizeof(Sum)); ++e) {
        Sum& sum = std::get<0>(of(l)).of[e];
        sum = sum_of<T>(sum, rows[C::place(l, e).row], cols[C::place(l, e).col]);
      }
  };
  emulator::together(&mine, work, file, line);
}
template <class T>
void mma_sync(WideC<T>& c, const WideA<T>& a, const WideB<T>& b, COURSE_WHERE) {
  mma_sync<T, WideC<T>, WideA<T>, WideB<T>>(c, a, b, file, line);
}

inline void mma_sync(WideC<int>& c, const BytesA& a, const BytesB& b, COURSE_WHERE) {
  mma_sync<std::int8_t, WideC<int>, BytesA, BytesB>(c, a, b, file, line);
}
inline void add_in_memory(double& at, double x) {
  at += x;  // that of one thread
}
inline std::uint32_t dp4a(std::uint32_t bytes, std::uint32_t weights, std::uint32_t sum) {
  for (int e = 0; e < 32; e += 8) sum += (bytes >> e & 0xff) * unsigned(std::int8_t(weights >> e));
  return sum;
}

template <bool transposed>
void load_of_lanes(std::uint32_t* to, const void* row, const char* file, int line) {
  struct Mine {
    std::uint32_t* to;
    std::uint16_t row[8];
  } mine{to, {}};
  need(row, 16);
  std::memcpy(mine.row, row, 16);  // now: what another lane has yet to write is not there
  const auto work = [](void* const(&lanes)[32]) {
    for (int l = 0; l < 32; ++l)
      for (int m = 0; m < 4; ++m) {
        const auto bits = [&](int i, int j) {
          return std::uint32_t{static_cast<Mine*>(lanes[8 * m + i])->row[j]};
        };
        const int i = l / 4, j = l % 4 * 2;
        static_cast<Mine*>(lanes[l])->to[m] =
            transposed ? bits(j, i) | bits(j + 1, i) << 16 : bits(i, j) | bits(i, j + 1) << 16;
      }
  };
  emulator::together(&mine, work, file, line);
  for (int m = 0, l = emulator::lane(); emulator::counting && m < 4; ++m)  // eight rows at a time
    emulator::touched_shared(
        static_cast<const char*>(__shfl_sync(0xffffffff, row, 8 * m + l / 4)) + l % 4 * 4, 4);
}
inline void ldmatrix_x4(std::uint32_t (&to)[4], const void* row, COURSE_WHERE) {
  load_of_lanes<false>(to, row, file, line);
}
inline void ldmatrix_x4_trans(std::uint32_t (&to)[4], const void* row, COURSE_WHERE) {
  load_of_lanes<true>(to, row, file, line);
}

/// The copies that each thread has begun, by groups, the last one open. They are made when they are waited
/// for.
struct Copies {
  using Groups = std::vector<std::vector<std::function<void()>>>;
  Copies() {
    emulator::before_each_block([this] { of_thread.clear(); });
  }
  Groups& mine() { return of_thread.try_emplace({threadIdx.x, threadIdx.y}, 1).first->second; }
  std::map<std::pair<unsigned, unsigned>, Groups> of_thread;
};
inline thread_local Copies copies_begun;

template <int size = 16>
void cp_async(void* to, const void* from, int bytes = size) {
  need(to, size), need(from, size);
  if (emulator::counting && bytes > 0) emulator::touched(from);
  if (emulator::counting) emulator::touched_shared(to, size);
  std::memset(to, 0xff, size);  // NaN: from now on nobody knows what is there
  copies_begun.mine().back().push_back(
      [=] { std::memset(to, 0, size), std::memcpy(to, from, std::size_t(bytes)); });
}
inline void cp_async_commit() {
  copies_begun.mine().emplace_back();
}
template <std::size_t n>
void cp_async_wait() {
  for (auto& groups = copies_begun.mine(); groups.size() > n + 1; groups.erase(groups.begin()))
    for (const auto& copy : groups.front()) copy();
}

inline void prefetch_l2(const void*) {}
template <class T>
T ldcg(const T* from) {
  return in_global<const T>(from);
}
template <class T>
T opaque(T value) {
  return value;
}
inline void store_release(unsigned* flag, unsigned value) {  // std::atomic_ref is not in every library
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}
inline void wait_acquire(unsigned* flag, unsigned value) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value) {
  }
}

template <class T, char matrix>
struct Wmma {  // in a layout of the emulator's own
  T of[8];
  static constexpr Place place(int lane, int e) { return {lane / 2, lane % 2 * 8 + e}; }
};
using WmmaA = Wmma<bf16, 'A'>;
using WmmaB = Wmma<bf16, 'B'>;
using WmmaC = Wmma<float, 'C'>;

/// Where this lane's elements of a matrix lie.
auto* wmma_mine(auto* matrix, int ld) {
  need(matrix, 32), need(matrix + ld, 16), emulator::not_counted();
  return matrix + emulator::lane() / 2 * Index{ld} + emulator::lane() % 2 * 8;
}
inline void wmma_load_a(WmmaA& a, const bf16* from, int ld, COURSE_WHERE) {
  std::copy_n(wmma_mine(from, ld), 8, a.of), __syncwarp(file, line);
}
inline void wmma_load_b(WmmaB& b, const bf16* from, int ld, COURSE_WHERE) {
  std::copy_n(wmma_mine(from, ld), 8, b.of), __syncwarp(file, line);
}
inline void wmma_store_c(float* to, const WmmaC& c, int ld, COURSE_WHERE) {
  __syncwarp(file, line), std::copy_n(c.of, 8, wmma_mine(to, ld));
}
inline void wmma_fill(WmmaC& c, float value) {
  std::fill_n(c.of, 8, value);
}
inline void wmma_mma(WmmaC& c, const WmmaA& a, const WmmaB& b, COURSE_WHERE) {
  mma_sync<bf16>(c, a, b, file, line);
}

}  // namespace course::ptx

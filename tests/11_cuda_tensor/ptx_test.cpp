// The words of a warp under the emulator: who holds what, who waits for whom, and how tensor cores add.
#include "11_cuda_tensor/rungs/wide.cuh"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace course;
using namespace cuda_tensor;

namespace {

const std::vector<std::string> orders{"forward", "reversed", "7"};

template <class... Parameters>
void run(void (*kernel)(Parameters...), Block block, std::type_identity_t<Parameters>... arguments) {
  launch(kernel, Grid{1, 1}, block, arguments...), emulator::synchronize();
}
/// What a warp's accesses take.
template <class... Parameters>
emulator::Counts counts_of(void (*kernel)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  emulator::take_counts(), emulator::counting = true;
  run(kernel, {32, 1}, arguments...), emulator::counting = false;
  return emulator::take_counts();
}
/// What a launch that must fail says.
template <class... Parameters>
std::string error_of(void (*kernel)(Parameters...), Block block,
                     std::type_identity_t<Parameters>... arguments) {
  try {
    run(kernel, block, arguments...);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

std::uint32_t two(bf16 lower, bf16 upper) {
  return lower.bits | std::uint32_t{upper.bits} << 16;
}

/// Tiles of the rungs tf32 and f64_tensor: the loads of one warp for the columns from q on.
template <class T>
__global__ void load_wide(bool of_a, bool in_place) {
  alignas(32) __shared__ SharedTile<T, 128, WideTiles<T>::BK> a_tile;
  alignas(32) __shared__ SharedTile<T, WideTiles<T>::BK, 128> b_tile;
  constexpr int BK = WideTiles<T>::BK;
  const int lane = int(threadIdx.x), g = lane / 4, t = lane % 4;
  for (int q = 0; q < BK; q += 4)
    of_a ? a_tile[g][in_place ? q + t : place_in_a<T, BK>(g, q + t)]
         : b_tile[q + t][in_place ? g : place_in_b<T, 128>(q + t, g)];
}

/// Lane l gives row 31 - l; element (i, j) is 8 i + j.
__global__ void load_four(std::uint32_t (*to)[4], bool transposed) {
  alignas(16) __shared__ SharedTile<bf16, 32, 8> tile;
  const int lane = int(threadIdx.x);
  for (int j = 0; j < 8; ++j) tile[lane][j] = bf16(float(8 * lane + j));
  __syncwarp();
  transposed ? ldmatrix_x4_trans(to[lane], tile[31 - lane] + 0) : ldmatrix_x4(to[lane], tile[31 - lane] + 0);
}
/// Rows of 128 bytes; lane l asks for the l-th 16 bytes of the first column, or of where a swizzle puts them.
__global__ void load_column(bool swizzled) {
  alignas(16) __shared__ SharedTile<bf16, 32, 64> tile;
  const int lane = int(threadIdx.x);
  std::uint32_t to[4];
  ldmatrix_x4(to, tile[lane] + (swizzled ? lane % 8 * 8 : 0));
}

__global__ void half_a_warp(int) {
  __shfl_sync(0xffff, 1, 0);
}

/// Each lane asks for what its neighbour has written.
__global__ void neighbour(int* wrong, bool waits, bool matrices) {
  alignas(16) __shared__ SharedTile<bf16, 32, 8> tile;
  const int lane = int(threadIdx.x), other = (lane + 1) % 32;
  __syncwarp();  // after which lanes go on in their order
  for (int j = 0; j < 8; ++j) tile[lane][j] = bf16(float(lane));
  if (waits) __syncwarp();
  if (matrices) {
    std::uint32_t to[4];
    ldmatrix_x4(to, tile[other] + 0);
    *wrong += to[0] != two(bf16(float(lane / 4 + 1)), bf16(float(lane / 4 + 1)));
  } else {
    *wrong += tile[other][0] != float(other);
  }
}
int wrong_neighbours(const std::string& order, bool waits, bool matrices) {
  int wrong = 0;
  emulator::set_order(order), run(neighbour, {32, 1}, &wrong, waits, matrices);
  return wrong;
}

__global__ void apart(int how) {
  if (threadIdx.x == 5 && threadIdx.y == 1) {
    if (how == 0) return;
    if (how == 1) __syncthreads();
    if (how == 2) __syncwarp();
  }
  std::uint32_t to[4];
  alignas(16) bf16 row[8] = {};
  how == 3 && threadIdx.y == 3 ? ldmatrix_x4_trans(to, row) : ldmatrix_x4(to, row);
}

__global__ void misaligned(int which, const bf16* from) {
  alignas(32) __shared__ SharedTile<bf16, 32, 32> tile;
  std::uint32_t to[4];
  WmmaA a;
  if (which == 0) cp_async(tile[0] + 4, from, 16);
  if (which == 1) cp_async(tile[0] + 8, from + 4, 16);
  if (which == 2) ldmatrix_x4(to, tile[0] + 4);
  if (which == 3) wmma_load_a(a, tile[0] + 8, 32);
  if (which == 4) wmma_load_a(a, tile[0] + 0, 12);
}

using Terms = std::vector<std::pair<float, float>>;
float sum_of(float sum, const Terms& products, int least = -126) {
  float a[16] = {}, b[16] = {};
  for (std::size_t p = 0; p < products.size(); ++p) std::tie(a[p], b[p]) = products[p];
  return emulator::truncated_sum(sum, a, b, least);
}

}  // namespace

TEST_CASE_TEMPLATE("a warp's load of a swizzled tile of 32 or 64 bits takes no bank twice", T, tf32, double) {
  const double least = sizeof(T) / 4, loads = WideTiles<T>::BK / 4;  // of doubles 128 bytes are half a warp's
  for (const bool of_a : {true, false})
    for (const bool in_place : {false, true}) {
      const emulator::Counts counts = counts_of(load_wide<T>, of_a, in_place);
      CHECK(counts.shared_accesses == loads);
      CHECK(counts.wavefronts == loads * (in_place ? 4 : least));
    }
}

TEST_CASE("ldmatrix gives each lane two neighbours of each matrix, or of the transposed") {
  std::uint32_t to[32][4];
  for (const std::string& order : orders)
    for (const bool transposed : {false, true}) {
      emulator::set_order(order), run(load_four, {32, 1}, to, transposed);
      for (int lane = 0; lane < 32; ++lane)
        for (int matrix = 0; matrix < 4; ++matrix) {
          const auto at = [=](int i, int j) { return bf16(float(8 * (31 - 8 * matrix - i) + j)); };
          const int g = lane / 4, t = lane % 4 * 2;
          CHECK(to[lane][matrix] == (transposed ? two(at(t, g), at(t + 1, g)) : two(at(g, t), at(g, t + 1))));
        }
    }
}

TEST_CASE("ldmatrix: eight rows 128 bytes apart take eight wavefronts, swizzled one") {
  for (const bool swizzled : {false, true}) {
    const emulator::Counts counts = counts_of(load_column, swizzled);
    CHECK(counts.shared_accesses == 4);  // a matrix each
    CHECK(counts.wavefronts == (swizzled ? 4 : 4 * 8));
  }
}

TEST_CASE("a lost __syncwarp shows in one order or another") {
  for (const bool matrices : {false, true}) {
    for (const std::string& order : orders) CHECK(wrong_neighbours(order, true, matrices) == 0);
    CHECK(wrong_neighbours("forward", false, matrices) == (matrices ? 32 : 31));
    CHECK(wrong_neighbours("reversed", false, matrices) == (matrices ? 0 : 1));
  }
}

TEST_CASE("a warp that does not come together is an error with the place") {
  emulator::set_order("forward");
  const auto says = [](int how, const std::string& what) {
    const std::string message = error_of(apart, {16, 4}, how);
    CHECK_MESSAGE(message.starts_with("block (0, 0): thread (0, 0) waits for its warp at ptx_test.cpp:"),
                  message);
    CHECK_MESSAGE(message.find(", thread (5, 1) " + what) != std::string::npos, message);
  };
  says(0, "has ended");
  says(1, "waits at the barrier of ptx_test.cpp:");
  says(2, "waits for its warp at ptx_test.cpp:");
  CHECK(error_of(apart, {16, 4}, 3).find("(0, 3) waits for its warp at ptx_test.cpp:") != std::string::npos);
  CHECK(error_of(apart, {16, 4}, 4) == "none");
  CHECK(error_of(apart, {16, 3}, 4).ends_with("48 threads a block: words of a warp need a multiple of 32"));
  CHECK(error_of(half_a_warp, {32, 1}, 0).ends_with("a shuffle of a part of a warp is not emulated"));
}

TEST_CASE("what is not aligned is an error") {
  alignas(16) bf16 aligned[24] = {};
  for (int which = 0; which < 5; ++which)
    CHECK(error_of(misaligned, {32, 1}, which, aligned).ends_with("misaligned address"));
}

TEST_CASE("tensor cores cut off where floats are rounded; NaN and infinity come through") {
  const float big = 0x1p24f, inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  CHECK(sum_of(big, {{1, 1}, {1, 0.75f}}) == big);      // as floats it were big + 2
  CHECK(sum_of(big, Terms(16, {0.5f, 1})) == big + 8);  // 25 bits below the largest …
  CHECK(sum_of(big, Terms(16, {0.5f, 0.5f})) == big);   // … and no more
  CHECK(sum_of(0, {{big, 1}, {-big, 1}, {3, 0.25f}}) == 0.5f);
  CHECK(sum_of(0, {{0, 0x1p127f}, {0x1p-25f, 1}}) == 0x1p-25f);                // a zero counts for nothing
  CHECK(sum_of(0, {{1.5f, 1.5f}, {-1.5f, 1.5f}, {0x1p-25f, 1}}) == 0x1p-25f);  // 2.25 counts as 1
  CHECK(sum_of(0, {{0x1p-24f, 1}, {0x1p-24f, -1}, {0x1p-20f, 0x1p-20f}}, -14) == 0);  // FP16's denormals
  CHECK(sum_of(1, {{inf, 1}, {0x1p100f, -1}}) == inf);
  CHECK(sum_of(0, {{0x1p127f, -2}}) == -inf);
  CHECK(std::isnan(sum_of(0, {{inf, 0}})));
  CHECK(std::isnan(sum_of(nan, {})));
}

// What starts kernels for Hopper: how TMA sees a matrix, and launches of clusters and of kernels that
// overlap.
#pragma once

#include <cuda.h>

#include <algorithm>
#include <stdexcept>

#include "common/bf16.hpp"
#include "gpu/cuda.hpp"

namespace course {

/// cuTensorMapEncodeTiled of the driver, without linking it.
inline auto tensor_map_encoder() {
  static const auto function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                           &result));
    if (result != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver does not know TMA");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  return function;
}

/// How TMA sees a matrix, or `parts` of them below each other: boxes of rows × cols, 128 bytes a row,
/// swizzled.
template <class T>
CUtensorMap map_of(View<T> matrix, int rows, int cols, int parts = 1) {
  using Element = std::remove_const_t<T>;
  const auto type = std::is_same_v<Element, float>    ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                    : std::is_same_v<Element, double> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
                    : std::is_same_v<Element, tf32>   ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
                    : std::is_same_v<Element, bf16>   ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                    : sizeof(Element) == 1            ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                                      : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const cuuint64_t rows_of_one = cuuint64_t(matrix.rows() / parts),
                   row_bytes = cuuint64_t(matrix.ld()) * sizeof(T);
  const cuuint64_t sides[] = {cuuint64_t(matrix.cols()), rows_of_one, cuuint64_t(parts)};
  const cuuint64_t apart[] = {row_bytes, row_bytes * rows_of_one};
  const cuuint32_t box[] = {cuuint32_t(cols), cuuint32_t(rows), cuuint32_t(parts)}, dense[] = {1, 1, 1};
  CUtensorMap map;
  if (tensor_map_encoder()(
          &map, type, 3, const_cast<Element*>(matrix.data()), sides, apart, box, dense,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          row_bytes % 128 == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    throw std::runtime_error("TMA cannot serve this matrix");
  return map;
}

/// Launches blocks, in clusters where these are of more than one. They may begin (programmatic dependent
/// launch) when all blocks in front have ended or, by wait_for_kernels_before<true>, let others come.
template <auto kernel, int cluster = 1>
struct ClusterLauncher {
  ClusterLauncher(dim3 grid, int block, std::size_t bytes) {
    check(once_a_device([bytes] {  // `bytes` belongs to the kernel
      return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
    }));
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension, attributes[1].val.clusterDim = {cluster, 1, 1};
    config.gridDim = grid, config.blockDim = dim3(unsigned(block)), config.dynamicSmemBytes = bytes;
    config.attrs = attributes, config.numAttrs = cluster > 1 ? 2 : 1;
  }
  ClusterLauncher(const ClusterLauncher&) = delete;  // config points to attributes
  /// How many clusters the GPU holds at once; blocks have a multiprocessor each.
  int resident() const {
    return once_a_device([this] {
      int most = Cuda::multiprocessors();
      if (cluster > 1) check(cudaOccupancyMaxActiveClusters(&most, kernel, &config));
      return most;
    });
  }
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};
};

/// kernel<<<grid, block, bytes>>>(arguments…).
template <auto kernel, int cluster = 1, class... Arguments>
void launch_dependent(dim3 grid, int block, std::size_t bytes, const Arguments&... arguments) {
  const ClusterLauncher<kernel, cluster> launcher(grid, block, bytes);
  launched = {{Index(grid.x), Index(grid.y)}, {block, 1}};
  check(cudaLaunchKernelEx(&launcher.config, kernel, arguments...));
}

constexpr Index longest_side = most_blocks_in_y * 64;
/// Whether TMA can serve it: it begins, as its rows do, at multiples of 16 bytes, and no side is too long.
template <class T>
bool served(View<T> matrix) {
  return reinterpret_cast<std::uintptr_t>(matrix.data()) % 16 == 0 &&
         matrix.ld() * Index(sizeof(T)) % 16 == 0 && std::max(matrix.rows(), matrix.cols()) <= longest_side;
}

/// Whether TMA can add to it: beyond an edge it is exact to 16 bytes only.
inline bool adds_to(View<const float> c) {
  return served(c) && c.cols() % 4 == 0;
}

}  // namespace course

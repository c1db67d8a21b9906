// 07: a whole CUDA program, as README.md explains it. Against 01's first.cpp: copies to and from the GPU, and
// a thread for each element. Run: nvcc -O3 07_cuda_global/first.cu -o build/first && build/first
#include <cstdio>
#include <cstdlib>
#include <vector>

// [kernel]
__global__ void product(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // this thread's row of C
  const int j = blockIdx.y * blockDim.y + threadIdx.y;  // and its column
  if (i >= n || j >= n) return;                         // the last blocks reach beyond C
  float sum = c[i * n + j];
  for (int p = 0; p < n; ++p) sum += a[i * n + p] * b[p * n + j];
  c[i * n + j] = sum;
}
// [/kernel]

// [host]
void check(cudaError_t status) {  // what every call answers
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(1);
}

int main() {
  const int n = 1000;
  const std::size_t size = n * n, bytes = size * sizeof(float);
  std::vector<float> a(size, 1), b(size, 2), c(size, 3);

  float *gpu_a, *gpu_b, *gpu_c;  // addresses in the GPU's memory
  check(cudaMalloc(&gpu_a, bytes)), check(cudaMalloc(&gpu_b, bytes)), check(cudaMalloc(&gpu_c, bytes));
  check(cudaMemcpy(gpu_a, a.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(gpu_b, b.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(gpu_c, c.data(), bytes, cudaMemcpyHostToDevice));

  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);  // rounded up
  product<<<grid, block>>>(gpu_a, gpu_b, gpu_c, n);           // returns at once
  check(cudaGetLastError());                                  // was it started?
  check(cudaDeviceSynchronize());                             // waits: has it ended well?

  check(cudaMemcpy(c.data(), gpu_c, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(gpu_a)), check(cudaFree(gpu_b)), check(cudaFree(gpu_c));
  int wrong = 0;
  for (const float element : c) wrong += !(element == 3 + 2 * n);  // 3 + n times 1 · 2
  std::printf("%d elements wrong\n", wrong);
  return wrong > 0;
}
// [/host]

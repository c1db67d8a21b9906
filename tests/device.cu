// A GPU that fails in the middle: what comes before stands, the failing row is wrong, the rest is skipped
// (device.sh).
#include "gpu/step.hpp"
#include "runner/run.hpp"

namespace {

using namespace course;

template <class T>
__global__ void first_element(View<const T> a, View<const T> b, View<T> c, bool traps) {
  if (traps) __trap();
  for (Index p = 0; p < a.cols(); ++p) c(0, 0) += a(0, p) * b(p, 0);
}

template <class T>
Launch<T> started(bool traps) {
  return [traps](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    launch(first_element<T>, Grid{1, 1}, Block{1, 1}, a, b, c, traps);
  };
}

/// A block of more threads than CUDA starts: refused at once, and nothing runs.
template <class T>
Launch<T> refused() {
  return [](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    launch(first_element<T>, Grid{1, 1}, Block{2048, 1}, a, b, c, false);
  };
}

/// Right, and then what is left of the GPU's memory is somebody else's.
template <class T>
Launch<T> memory_taken() {
  return [](View<const T> a, View<const T> b, View<T> c, const Settings& settings) {
    started<T>(false)(a, b, c, settings);
#ifdef __CUDACC__
    void* kept = nullptr;
    for (std::size_t bytes = std::size_t(1) << 40; bytes >= 1 << 20; bytes /= 2)
      while (cudaMalloc(&kept, bytes) == cudaSuccess) {
      }
    cudaGetLastError();  // the last refusal is no error of this row
#endif
  };
}

template <class T>
Variants<T> variants() {
  return {gpu<T>("before", "right for 1 x 1 matrices", started<T>(false)),
          gpu<T>("refused", "a launch that CUDA refuses", refused<T>()),
          gpu<T>("trap", "a kernel that traps", started<T>(true)),
          gpu<T>("after", "what could run, if the GPU still could", started<T>(false)),
          gpu<T>("memory_taken", "right, but the next row finds no memory", memory_taken<T>())};
}

}  // namespace

COURSE_GPU_STEP("a GPU that fails")

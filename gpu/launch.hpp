// The words of CUDA that the course's kernels are written in: nvcc's own, or the emulator's, which any C++
// compiler understands. All that a kernel sees besides common/view.hpp.
#pragma once

#ifdef __CUDACC__
#include "gpu/on_gpu.hpp"
#else
#include "gpu/emulator/emulator.hpp"
#endif

// What the GPU is and what it can do, in a program that nvcc had a part in.
#pragma once

#include "roof.hpp"

namespace machine {

#ifdef COURSE_HAS_NVCC
/// Why there is nothing to measure; or nothing.
std::string gpu_missing();
/// What it is, its clock, and its roofs.
void add_gpu(Session& session);
/// The peaks, the bandwidths and the copies.
void add_gpu_roofs(Session& session);
#else
inline std::string gpu_missing() {
  return "built without nvcc";
}
inline void add_gpu(Session&) {}
inline void add_gpu_roofs(Session&) {}
#endif

}  // namespace machine

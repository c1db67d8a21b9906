// Records how many threads the calling thread's parallel regions request: these functions are found before
// those of gcc's OpenMP and clang's. For one source file of a test.
#pragma once

#include <dlfcn.h>

#include <vector>

namespace openmp_requests {

inline thread_local std::vector<int> threads;  // requested by each region since the last clear()
inline thread_local int dynamic = 0;           // loops with a dynamic schedule

/// The library's own function of this name.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace openmp_requests

extern "C" {
void GOMP_parallel(void (*work)(void*), void* data, unsigned threads, unsigned flags) {
  static auto* const real = openmp_requests::next(&GOMP_parallel, "GOMP_parallel");
  openmp_requests::threads.push_back(static_cast<int>(threads));
  real(work, data, threads, flags);
}
void GOMP_parallel_loop_nonmonotonic_dynamic(void (*work)(void*), void* data, unsigned threads, long from,
                                             long to, long step, long chunk, unsigned flags) {
  static auto* const real = openmp_requests::next(&GOMP_parallel_loop_nonmonotonic_dynamic,
                                                  "GOMP_parallel_loop_nonmonotonic_dynamic");
  openmp_requests::threads.push_back(static_cast<int>(threads)), ++openmp_requests::dynamic;
  real(work, data, threads, from, to, step, chunk, flags);
}
void __kmpc_push_num_threads(void* where, int thread, int threads) {
  static auto* const real = openmp_requests::next(&__kmpc_push_num_threads, "__kmpc_push_num_threads");
  openmp_requests::threads.push_back(threads);
  real(where, thread, threads);
}
void __kmpc_dispatch_init_8(void* where, int thread, int schedule, long from, long to, long step,
                            long chunk) {
  static auto* const real = openmp_requests::next(&__kmpc_dispatch_init_8, "__kmpc_dispatch_init_8");
  ++openmp_requests::dynamic;
  real(where, thread, schedule, from, to, step, chunk);
}
}

// test.cpp on the GPU, by Hopper's kernels where they run. Exits with 77 if there is no GPU for it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include "gpu/cuda.hpp"
#include "test.cpp"

int main(int argc, char** argv) {
  if (const std::string missing = course::Cuda::missing(course::ptx::tensor_capability); !missing.empty()) {
    std::printf("skipped: %s\n", missing.c_str());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}

// test.cpp on the GPU, by Hopper's kernels where they run, and with matrices that are too large for the
// emulator. Exits with 77 if there is no GPU for it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include "gpu/cuda.hpp"
#include "test.cpp"

TEST_CASE("13: large matrices, C added to by TMA and by threads; of wild scales, and graded ones") {
  for (const F32Variant variant : {fp16x2, bf16x3}) {
    for (const Index n : {702, 701}) {  // C's rows are 704 and 703 apart
      Case given = uniform(1000, n, 3000);
      const Errors most = errors(given, variant, variant);
      CHECK((most.of_norms < 2 && most.of_norms > 0.001));  // they are not all exact
    }
    Case wild = scaled_wildly(1000, 702, 3000);
    CHECK(errors(wild, variant, variant).of_norms < 2);
  }
  Case given = graded_inputs(1000, 702, 3000);
  CHECK(errors(given, fp16x2, bf16x3).of_sums < 2);
}

int main(int argc, char** argv) {
  if (const std::string missing = course::Cuda::missing(course::ptx::tensor_capability); !missing.empty()) {
    std::printf("skipped: %s\n", missing.c_str());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}

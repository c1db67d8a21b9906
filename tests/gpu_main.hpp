// The main function of tests that nvcc has compiled, behind them: skipped where no GPU has tensor cores.
#pragma once

int main(int argc, char** argv) {
  const std::string missing = course::Cuda::missing(course::ptx::tensor_capability);
  if (!missing.empty()) return std::printf("skipped: %s\n", missing.c_str()), 77;
  return doctest::Context(argc, argv).run();
}

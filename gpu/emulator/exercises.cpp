// What the kernels of the exercises make of a row 1 2 3 …, in two orders of the threads.
#include "gpu/emulator/exercises.cuh"

#include <cstdio>

int main() {
  using namespace course::exercises;
  for (const char* order : {"forward", "reversed"}) {
    course::emulator::set_order(order);
    std::printf("%s\n  shift   %s\n", order, row(shift, 8, 8).c_str());
    std::printf("  mirror  %s\n          %s\n", row(mirror, 8, 16).c_str(), row(mirror, 8, 12).c_str());
  }
}

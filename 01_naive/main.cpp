// 01_naive: three nested loops, the start of the ladder.
#include <stdexcept>
#include <string>
#include <string_view>

#include "broken.hpp"
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/cpu.hpp"
#include "runner/run.hpp"

// Whether the kernels were compiled with leave to change the order of additions.
constexpr bool reorders = std::string_view(COURSE_FLAGS).substr(0, 6) == "-Ofast";

void naive::out_of_range(Index i, Index j) {
  throw std::out_of_range("no element (" + std::to_string(i) + ", " + std::to_string(j) + ")");
}

template <class T>
course::Variants<T> variants() {
  using namespace naive;
  using course::broken, course::cpu;
  course::Variants<T> list = {
      cpu<T>("rows_of_rows", "a vector of vectors, as in a first course",
             course::on_vectors<T>(rows_of_rows<T>), cost::rows_of_rows<T>),
      cpu<T>("checked", "one block of memory, every access checked", checked<T>, cost::ijk<T>),
      cpu<T>("ijk", "one block of memory, unchecked: the baseline", ijk<T>,
             reorders ? cost::ijk_reordered<T> : cost::ijk<T>, {.baseline = true}),
      broken(cpu<T>("b_by_row", "multiplies by the transpose", wrong::b_by_row<T>)),
      broken(cpu<T>("last_row_lost", "stops a row early", wrong::last_row_lost<T>)),
      broken(cpu<T>("overwritten", "C = A·B", wrong::overwritten<T>)),
      broken(cpu<T>("stale_sum", "sum not reset", wrong::stale_sum<T>)),
      broken(cpu<T>("beyond_the_row", "writes outside C", wrong::beyond_the_row<T>)),
      broken(cpu<T>("one_column_too_far", "j <= n", wrong::one_column_too_far<T>)),
      broken(cpu<T>("one_row_too_far", "i <= m", wrong::one_row_too_far<T>)),
  };
  if constexpr (std::is_floating_point_v<T>) list.push_back(broken(cpu<T>("nan", "one NaN", wrong::nan<T>)));
  return list;
}

int main(int argc, char** argv) {
  return course::run(argc, argv, COURSE_STEP("three nested loops"));
}

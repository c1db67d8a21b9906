// 10_openacc: the plain loops again; directives send them to a GPU.
#include "broken.hpp"
#include "cost.hpp"
#include "device.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace openacc;
  using course::broken;
  return {
      offloaded<T>("one_each", "OpenACC: a thread an element of C", one_each<T>, cost::one_each<T>),
      offloaded<T>("unrolled", "OpenACC: one_each, eight steps of p at once", unrolled<T>, cost::one_each<T>),
      offloaded<T>("tiled", "OpenACC: a gang a tile of C", tiled<T>, cost::tiled<T>),
      offloaded<T>("four_by_four", "OpenACC: a thread 4 x 4 elements of C", four_by_four<T>,
                   cost::four_by_four<T>),
      offloaded<T>("omp_target", "OpenMP: a thread an element of C", omp_target<T>, cost::omp_target<T>,
                   by_openmp),
      offloaded<T>("omp_target_simd", "OpenMP: a lane of a thread an element of C", omp_target_simd<T>,
                   cost::omp_target_simd<T>, by_openmp),
      broken(offloaded<T>("edge_lost", "whole tiles only", wrong::edge_lost<T>)),
      broken(offloaded<T>("one_column_too_far", "j <= n", wrong::one_column_too_far<T>)),
      broken(
          offloaded<T>("last_row_lost", "OpenMP: stops a row early", wrong::last_row_lost<T>, {}, by_openmp)),
  };
}

int main(int argc, char** argv) {
  return course::run(argc, argv, COURSE_STEP("directives"));
}

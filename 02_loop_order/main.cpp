// 02_loop_order: six orders of three loops, and what a row-of-rows matrix and a transposed B have to do with
// it.
#include "broken.hpp"
#include "cost.hpp"
#include "gemm.hpp"
#include "runner/cpu.hpp"
#include "runner/machine.hpp"
#include "runner/run.hpp"

template <class T>
course::Variants<T> variants() {
  using namespace loop_order;
  using course::broken, course::KernelArgs, course::cpu;
  course::Variants<T> list = {
      cpu<T>("ijk", "rows of C, then columns: walks down B", ijk<T>, cost::ijk<T>),
      cpu<T>("ikj", "rows of C, rows of B: walks along both", ikj<T>, cost::ikj<T>),
      cpu<T>("ikj_unrolled", "ikj, its innermost loop unrolled four times", ikj_unrolled<T>, cost::ikj<T>),
      cpu<T>("ikj_scalar", "ikj without vector instructions", ikj_scalar<T>, cost::ikj_scalar<T>,
             {.vector = course::every_vector, .needs = course::every_vector}),
      cpu<T>("jik", "columns of C, then rows: walks down B", jik<T>, cost::jik<T>),
      cpu<T>("jki", "columns of C, columns of A: walks down both", jki<T>, cost::jki<T>),
      cpu<T>("kij", "a row of B for every row of C: walks along both", kij<T>, cost::kij<T>),
      cpu<T>("kji", "a column of A for every column of C: walks down both", kji<T>, cost::kji<T>),
      cpu<T>("transposed", "copies B transposed, then dot products along rows",
             [](const KernelArgs<T>& x) { transposed<T>(x.a, x.b, x.c, x.bt); }, cost::transposed<T>,
             {.transposed_b = true}),
      cpu<T>("contiguous", "01's rows_of_rows on one block of memory", contiguous<T>, cost::contiguous<T>),
      broken(cpu<T>("stale_sum", "one sum for all columns", wrong::stale_sum<T>)),
  };
#ifndef COURSE_NATIVE  // built for the host: the contiguous ones only
  list.push_back(cpu<T>("rows_ikj", "a vector of vectors in ikj order", course::on_vectors<T>(rows_ikj<T>),
                        cost::ikj<T>));
#endif
  if constexpr (std::is_floating_point_v<T>) {  // integers have no NaN, neither to write nor to read
    list.push_back(
        broken(cpu<T>("transposed_short", "the last column is never copied",
                      [](const KernelArgs<T>& x) { wrong::transposed_short<T>(x.a, x.b, x.c, x.bt); },
                      course::uncounted, {.transposed_b = true})));
  }
  return list;
}

int main(int argc, char** argv) {
  return course::run(argc, argv, COURSE_STEP("the order of the loops"));
}

#include "common/matrix.hpp"

#include <stdexcept>
#include <string>

namespace course {

void out_of_range(Index i, Index j, Index rows, Index cols) {
  throw std::out_of_range("element (" + std::to_string(i) + ", " + std::to_string(j) + ") of a " +
                          std::to_string(rows) + " x " + std::to_string(cols) + " matrix");
}

void share_rows(Index rows, int threads, const std::function<void(Index row)>& work) {
  if (threads == 1) {  // without OpenMP: a step of one thread shall have one
    for (Index row = 0; row < rows; ++row) work(row);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index row = 0; row < rows; ++row) work(row);
}

}  // namespace course

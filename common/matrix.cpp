#include "common/matrix.hpp"

namespace course {

void share_rows(Index rows, int threads, const std::function<void(Index row)>& work) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index row = 0; row < rows; ++row) work(row);
}

}  // namespace course

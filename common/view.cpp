#include "common/view.hpp"

#include <stdexcept>
#include <string>

namespace course {

void out_of_range(Index i, Index j, Index rows, Index cols) {
  throw std::out_of_range("element (" + std::to_string(i) + ", " + std::to_string(j) + ") of a " +
                          std::to_string(rows) + " x " + std::to_string(cols) + " matrix");
}

}  // namespace course

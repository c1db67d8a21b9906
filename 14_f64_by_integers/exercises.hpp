// The exercise of REMAINDERS.md: a product of floats by six moduli, on the processor. `make try` calls what
// the learner writes of it, tests/try_test.py the solution.
#pragma once

#include <vector>

#include "moduli.hpp"

namespace f64_by_integers::exercises {

using course::View;

constexpr int six = 6;

/// The six smallest moduli, which are odd, their product P, and the weights: w = 1 by its own modulus, 0 by
/// all others.
struct Moduli {
  int modulus[six];
  std::int64_t weight[six], product = 1;

  Moduli() {
    for (int t = 0; t < six; ++t) product *= modulus[t] = f64_by_integers::modulus(most_moduli - six + t);
    for (int t = 0; t < six; ++t)
      for (weight[t] = product / modulus[t]; weight[t] % modulus[t] != 1;) weight[t] += product / modulus[t];
  }
};

// [remainders]
/// The integer nearest to x.
inline std::int64_t rounded(double x) {
  const double half = x < 0 ? -0.5 : 0.5;
  return std::int64_t(x + half);  // cuts off
}

/// The remainder of x by p that is nearest to 0.
inline int remainder(std::int64_t x, int p) {
  const int r = int(x % p);  // has the sign of x
  return 2 * r > p ? r - p : 2 * r < -p ? r + p : r;
}

/// The integer c, |c| < P / 2, that has these six remainders; P and the weights are those of the moduli.
inline std::int64_t integer(const std::int8_t* r, const std::int64_t* weight, std::int64_t P) {
  std::int64_t sum = 0;
  for (int t = 0; t < 6; ++t) sum += r[t] * weight[t];
  const std::int64_t q = rounded(double(sum) / double(P));
  return sum - q * P;
}
// [/remainders]

/// C += A·B: rows of A and columns of B are made as long as the bound allows, rounded, and multiplied
/// by remainders, which are bytes.
template <class T, class Rounded, class Remainder, class Integer>
void product(View<const T> a, View<const T> b, View<T> c, Rounded rounded, Remainder remainder,
             Integer integer) {
  const Moduli of;
  // The errors of rounding are then below what is allowed, those of cutting off are not.
  const double longest = std::sqrt(double(of.product) / 2) * (1 - 0x1p-11);
  struct Line {  // a row of A or a column of B
    double scale;
    std::vector<std::int8_t> bytes;
  };
  const Index k = a.cols();
  const auto split = [&](Index lines, auto element) {
    std::vector<Line> split_lines(lines);
    for (Index line = 0; line < lines; ++line) {
      double squares = 0;
      for (Index p = 0; p < k; ++p) squares += double(element(line, p)) * double(element(line, p));
      auto& [scale, bytes] = split_lines[line] = {squares > 0 ? longest / std::sqrt(squares) : 1, {}};
      for (int t = 0; t < six; ++t)
        for (Index p = 0; p < k; ++p)
          bytes.push_back(std::int8_t(remainder(rounded(scale * double(element(line, p))), of.modulus[t])));
    }
    return split_lines;
  };
  const auto rows = split(a.rows(), [&](Index i, Index p) { return a(i, p); });
  const auto columns = split(b.cols(), [&](Index j, Index p) { return b(p, j); });
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      std::int8_t r[six];
      for (int t = 0; t < six; ++t) {
        int sum = 0;
        for (Index p = t * k; p < (t + 1) * k; ++p) sum += rows[i].bytes[p] * columns[j].bytes[p];
        r[t] = std::int8_t(remainder(sum, of.modulus[t]));
      }
      c(i, j) += T(double(integer(r, of.weight, of.product)) / (rows[i].scale * columns[j].scale));
    }
}

}  // namespace f64_by_integers::exercises

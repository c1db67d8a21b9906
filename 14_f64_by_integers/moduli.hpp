// 14: the moduli, and what the Chinese remainder theorem takes of them; in plain C++.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>

#include "common/view.hpp"

namespace f64_by_integers {

using course::Index;

__extension__ typedef __int128 Wide;  // holds the product of 16 moduli

/// No two moduli have a common factor, and the remainders by each are integers of 8 bits, of either sign.
constexpr int most_moduli = 16;
COURSE_INLINE int modulus(int t) {
  constexpr int of[most_moduli] = {256, 255, 253, 251, 247, 241, 239, 233,
                                   229, 227, 223, 217, 211, 199, 197, 193};
  return of[t];
}

/// The remainder of x that is nearest to 0; of half of an even modulus the negative one.
template <class T>
COURSE_INLINE T nearest(T x, int by) {
  const T r = x % by;
  return 2 * r >= by ? r - by : 2 * r < -by ? r + by : r;
}

/// What turns N remainders r into the integer c, |c| < P / 2, P the product of the moduli: c = Σ r·w − q·P, w
/// = 1 by its own modulus and 0 by all others. P and the weights w have more bits than a double: `high` has
/// the upper 38, so that a sum of those is exact, `low` the others.
struct Remainders {
  int count = 0;
  double high[most_moduli], low[most_moduli], product_high, product_low, inverse;

  explicit Remainders(int n) : count(n) {
    const Wide P = product(n);
    const auto split = [unit = unit_of(P)](Wide x, double& upper, double& lower) {
      const Wide rounded = (x + unit / 2) / unit * unit;
      upper = double(rounded), lower = double(x - rounded);
    };
    for (int t = 0; t < n; ++t) {
      const Wide others = P / modulus(t);
      int factor = 1;
      while (others % modulus(t) * factor % modulus(t) != 1) ++factor;
      split(others * factor, high[t], low[t]);
    }
    split(P, product_high, product_low), inverse = 1 / double(P);
  }
  static constexpr Wide product(int n) {
    Wide P = 1;
    for (int t = 0; t < n; ++t) P *= modulus(t);
    return P;
  }
  /// How long rows of A and columns of B, scaled, may be: |c| ≤ ‖a‖ ‖b‖. The little that is left, of P 2^-10,
  /// is for what rounding to integers adds, at most √k / 2 to each length, and for finding q.
  static double longest(int n) { return std::sqrt(double(product(n)) / 2) * (1 - 0x1p-11); }

 private:
  static constexpr Wide unit_of(Wide P) {
    Wide unit = 1;
    while (P / unit >= Wide{1} << 38) unit *= 2;
    return unit;
  }
};

}  // namespace f64_by_integers

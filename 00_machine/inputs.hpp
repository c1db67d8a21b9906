// The products that libraries are tried with, and whether they are right.
#pragma once

#include "common/verify.hpp"
#include "runner/text.hpp"

namespace machine {

/// What is wrong with multiply(a, b, c) on a problem's whole matrices, or nothing.
template <class T, class Multiply>
std::string trouble(const course::Problem<T>& problem, course::Verifier<T>& verifier,
                    const Multiply& multiply) {
  const course::Inputs<T>& inputs = problem.whole();
  const auto [m, n, k] = problem.shape;
  course::Matrix<T> product(m, n);
  course::copy<T>(inputs.c.view(), product.view());
  multiply(inputs.a.view(), inputs.b.view(), product.view());
  const course::Check check =
      verifier.check({course::all_of(m), course::all_of(n), product.view()}, course::World());
  const bool inside = inputs.guards_intact() && product.guards_intact();
  if (inside && check.right) return {};
  return course::shape_text(problem.shape) + ": " + (inside ? check.trouble : "it wrote outside its matrix");
}

/// The same where the sizes are no multiples of anything.
template <class T, class Multiply>
std::string trouble(const Multiply& multiply) {
  // The second is large enough for several threads.
  for (const course::Shape shape : {course::Shape{67, 45, 129}, course::Shape{301, 257, 190}}) {
    const course::Problem<T> problem{shape};
    course::Verifier<T> verifier(problem, false);
    if (std::string what = trouble(problem, verifier, multiply); !what.empty()) return what;
  }
  return {};
}

}  // namespace machine

// The matrices that libraries are tried with, and whether a product of them is right.
#pragma once

#include "common/fill.hpp"
#include "common/table.hpp"
#include "common/verify.hpp"

namespace machine {

template <class T>
struct Inputs {
  explicit Inputs(const course::Shape& s) : a(s.m, s.k), b(s.k, s.n), c(s.m, s.n), shape(s) {
    fill_matrix(a.view(), course::Fill::uniform, 987654, 'A');
    fill_matrix(b.view(), course::Fill::uniform, 987654, 'B');
    fill_matrix(c.view(), course::Fill::uniform, 987654, 'C');
  }
  /// What C += A·B is at sampled rows and columns, as long as C here is as it was.
  course::Reference<T> reference() const {
    course::Problem<T> problem;
    problem.shape = shape;
    problem.a = a.view(), problem.b = b.view(), problem.c = c.view();
    return course::Reference<T>::sampled(problem, std::is_integral_v<T>, 987654);
  }
  bool guards_intact() const { return a.guards_intact() && b.guards_intact() && c.guards_intact(); }

  course::Matrix<T> a, b, c;
  course::Shape shape;
};

/// What is wrong with multiply(a, b, c), or nothing.
template <class T, class Multiply>
std::string trouble(const Inputs<T>& inputs, const course::Reference<T>& reference,
                    const Multiply& multiply) {
  course::Matrix<T> product(inputs.shape.m, inputs.shape.n);
  course::copy<T>(inputs.c.view(), product.view());
  multiply(inputs.a.view(), inputs.b.view(), product.view());
  const course::Check check = reference.compare(product.view());
  const bool inside = inputs.guards_intact() && product.guards_intact();
  if (inside && check.right) return {};
  return course::shape_text(inputs.shape) + ": " + (inside ? check.trouble : "it wrote outside its matrix");
}

/// The same where the sizes are no multiples of anything.
template <class T, class Multiply>
std::string trouble(const Multiply& multiply) {
  // The second is large enough for several threads.
  for (const course::Shape shape : {course::Shape{67, 45, 129}, course::Shape{301, 257, 190}}) {
    const Inputs<T> inputs(shape);
    if (std::string what = trouble(inputs, inputs.reference(), multiply); !what.empty()) return what;
  }
  return {};
}

}  // namespace machine

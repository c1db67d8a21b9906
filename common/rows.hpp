// The row-of-rows matrix of a first course in C++, behind the common interface.
#pragma once

#include "common/variant.hpp"

namespace course {

template <class T>
using RowsKernel = void (*)(const Rows<T>& a, const Rows<T>& b, Rows<T>& c);

template <class T>
class RowsVariant : public Variant<T> {
 public:
  RowsVariant(std::string name, std::string idea, RowsKernel<T> kernel, CostOf cost)
      : Variant<T>(std::move(name), std::move(idea)), kernel_(kernel) {
    this->cost_of = std::move(cost);
  }

  double bytes(const Shape& s) const override {
    const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    const double row = 64;  // its vector, and the allocator's header and rounding
    return sizeof(T) * (m * k + k * n + m * n) + row * (2 * m + k);
  }
  void prepare(const Problem<T>& problem) override {
    release();
    initial_ = problem.c;
    a_ = to_rows(problem.a), b_ = to_rows(problem.b), c_ = to_rows(problem.c);
  }
  void release() override { a_ = {}, b_ = {}, c_ = {}; }
  void reset() override {
    for (std::size_t i = 0; i < c_.size(); ++i)
      for (std::size_t j = 0; j < c_[i].size(); ++j)
        c_[i][j] = initial_(static_cast<Index>(i), static_cast<Index>(j));
  }
  Seconds run() override {
    Seconds seconds;
    const Stopwatch watch;
    kernel_(a_, b_, c_);
    seconds.product = watch.seconds();
    return seconds;
  }
  bool result(View<T> out) override {
    for (Index i = 0; i < out.rows(); ++i)
      for (Index j = 0; j < out.cols(); ++j)
        out(i, j) = c_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    return true;
  }

 private:
  static Rows<T> to_rows(View<const T> view) {
    Rows<T> rows;
    rows.reserve(static_cast<std::size_t>(view.rows()));
    for (Index i = 0; i < view.rows(); ++i) rows.emplace_back(&view(i, 0), &view(i, 0) + view.cols());
    return rows;
  }

  RowsKernel<T> kernel_;
  View<const T> initial_;
  Rows<T> a_, b_, c_;
};

/// The variant of a function C += A·B on vectors of vectors.
template <class T>
std::shared_ptr<Variant<T>> cpu(std::string name, std::string idea, RowsKernel<T> kernel, CostOf cost = {}) {
  return std::make_shared<RowsVariant<T>>(std::move(name), std::move(idea), kernel, std::move(cost));
}

}  // namespace course

// A variant whose kernel runs where directives send it: on a GPU, or on the host when the user says so.
#pragma once

#include <stdexcept>

#include "common/stopwatch.hpp"
#include "model.hpp"
#include "runner/machine.hpp"
#include "runner/variant.hpp"

namespace openacc {

using course::Guards, course::Index, course::Matrix, course::Problem, course::Settings, course::Times,
    course::Use, course::View;

/// common's Matrix in the memory of a GPU, or of the host: guards for its use before, beside and behind it.
template <class T>
class DeviceMatrix {
 public:
  DeviceMatrix() = default;  // no elements, no guards
  /// Throws std::bad_alloc.
  DeviceMatrix(int gpu, Index rows, Index cols, Index pad, Use use)
      : gpu_(gpu), use_(use), size_((rows + 1) * (cols + pad) + 2 * band) {
    T* const memory = static_cast<T*>(take(gpu, sizeof(T) * static_cast<std::size_t>(size_)));
    if (memory == nullptr) throw std::bad_alloc();
    buffer_.reset(memory, [gpu](T* taken) { give_back(gpu, taken); });
    view_ = {memory + band, rows, cols, cols + pad};
  }
  View<T> view() const { return view_; }

  /// Fills the matrix with poison, and the memory round it with guards.
  void poison() {
    const Matrix<T> row(1, view_.cols());
    for (Index i = 0; i < view_.rows(); ++i) copy(to_device, row.view(), view_.block(i, 0, 1, view_.cols()));
    for (const Guards<T>& part : guards()) {
      Matrix<T> here(part.where.rows(), part.where.cols());
      part.write_to(here.view()), copy(to_device, here.view(), part.where);
    }
  }
  void fill_from(View<const T> from) { copy(to_device, from, view_); }
  void copy_to(View<T> to) const { copy(from_device, view_, to); }

  /// False if something was written outside the matrix: before it, behind it or into the padding.
  bool guards_intact() const {
    if (!buffer_) return true;
    const auto parts = guards();
    return std::all_of(parts.begin(), parts.end(), [this](const Guards<T>& part) {
      Matrix<T> here(part.where.rows(), part.where.cols());
      copy(from_device, part.where, here.view());
      return part.are_in(here.view());
    });
  }

 private:
  static constexpr Index band = 256 / sizeof(T);  // no less than a GPU's alignment: the matrix keeps it

  auto guards() const { return course::guards_round(view_, buffer_.get(), size_, use_); }
  /// In one copy where rows follow each other; else row by row, for what lies between them stays.
  void copy(decltype(to_device) by, View<const T> from, View<T> to) const {
    const Index rows = from.rows(), cols = from.cols();
    const bool at_once = from.ld() == cols && to.ld() == cols;
    for (Index i = 0; i < rows && cols > 0; i += at_once ? rows : 1)
      by(gpu_, &to(i, 0), &from(i, 0), sizeof(T) * static_cast<std::size_t>(at_once ? rows * cols : cols));
  }

  int gpu_ = -1;
  View<T> view_;
  Use use_ = Use::output;
  Index size_ = 0;
  std::shared_ptr<T> buffer_;
};

/// A kernel on views of device memory. Where regions run is asked before every row and every run: a program
/// that meant the GPU and got the host would print the host's time under the GPU's name.
template <class T>
class Offloaded : public course::Variant<T> {
 public:
  using Kernel = void (*)(View<const T> a, View<const T> b, View<T> c);
  Offloaded(course::VariantInfo info, Kernel kernel, const Model& model)
      : course::Variant<T>(std::move(info)), kernel_(kernel), model_(model) {}

  course::Device device() const override {
    if (const int gpu = model_.runs_on(); gpu >= 0) return {"gpu", name_of(gpu)};
    if (!host_wanted(model_)) return {};
    const auto [kind, name, cores] = course::processor();
    return {"fallback", "host fallback: " + name, cores};
  }
  std::string refuses(const Problem<T>&, const Settings&) const override {
    if (host_wanted(model_) || model_.runs_on() >= 0) return {};
    return (offloads ? "no GPU answers " : "built without an offload compiler, so no GPU for ") +
           std::string(model_.name) + "; " + model_.variable + "=" + model_.host + " runs it on the host";
  }
  Times allocate(const Problem<T>& problem, const Settings&) override {
    release();
    gpu_ = model_.runs_on();
    const auto [m, n, k] = problem.shape;
    const Index pad = problem.pad;
    inputs_ = problem.whole(), fetched_ = Matrix<T>(m, n, pad);
    const course::Stopwatch watch;
    a_ = {gpu_, m, k, pad, Use::input}, b_ = {gpu_, k, n, pad, Use::input};
    c_ = {gpu_, m, n, pad, Use::output};
    const double seconds = watch.seconds();
    a_.poison(), b_.poison(), c_.poison();
    return {.alloc = seconds};
  }
  Times distribute() override {
    const course::Inputs<T>& inputs = inputs_;
    const course::Stopwatch watch;
    a_.fill_from(inputs.a.view()), b_.fill_from(inputs.b.view()), c_.fill_from(inputs.c.view());
    return {.copy_in = watch.seconds()};
  }
  void reset() override { c_.fill_from(std::as_const(inputs_.c).view()); }
  /// By the host's clock, which also sees the launch: kernels return when the device is done.
  Times run() override {
    if (model_.runs_on() != gpu_)
      throw std::runtime_error(std::string(model_.name) + " sends its regions elsewhere than before");
    const course::Stopwatch watch;
    kernel_(a_.view(), b_.view(), c_.view());
    return {.product = watch.seconds()};
  }
  Times fetch() override {
    course::poison_all(fetched_.view());
    const course::Stopwatch watch;
    c_.copy_to(fetched_.view());
    return {.copy_out = watch.seconds()};
  }
  View<const T> result() override { return fetched_.view(); }
  bool guards_intact() const override {
    return inputs_.guards_intact() && a_.guards_intact() && b_.guards_intact() && c_.guards_intact() &&
           fetched_.guards_intact();
  }
  void release() override { inputs_ = {}, a_ = {}, b_ = {}, c_ = {}, fetched_ = {}; }

 private:
  Kernel kernel_;
  const Model& model_;
  course::Inputs<T> inputs_;
  int gpu_ = -1;  // where the row's memory is
  DeviceMatrix<T> a_, b_, c_;
  Matrix<T> fetched_;
};

/// The variant of a kernel on views of device memory.
template <class T>
std::shared_ptr<course::Variant<T>> offloaded(std::string name, std::string idea,
                                              typename Offloaded<T>::Kernel kernel, course::CostOf cost = {},
                                              const Model& model = by_openacc) {
  course::VariantInfo info{
      .name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<Offloaded<T>>(std::move(info), kernel, model);
}

}  // namespace openacc

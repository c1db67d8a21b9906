// A variant whose kernel runs where directives send it: on a GPU, or on the host when the user says so.
#pragma once

#include <stdexcept>

#include "common/stopwatch.hpp"
#include "model.hpp"
#include "runner/machine.hpp"
#include "runner/variant.hpp"

namespace openacc {

using course::Index, course::Matrix, course::Problem, course::Settings, course::Shape, course::Times,
    course::Use, course::View;

/// common's Matrix in a model's memory: poisoned at birth, guards for its use before, beside and behind it.
template <class T>
class DeviceMatrix {
 public:
  DeviceMatrix() = default;  // no elements, no guards
  /// Throws std::bad_alloc.
  DeviceMatrix(const Model& model, Index rows, Index cols, Index pad, Use use)
      : model_(&model), rows_(rows), cols_(cols), ld_(cols + pad), use_(use) {
    T* const memory = static_cast<T*>(model.take(bytes(rows, cols, pad)));
    if (memory == nullptr) throw std::bad_alloc();
    buffer_.reset(memory, model.give_back);
  }
  static std::size_t bytes(Index rows, Index cols, Index pad) {
    return sizeof(T) * static_cast<std::size_t>((rows + 1) * (cols + pad) + 2 * band);
  }
  View<T> view() const { return {buffer_ ? buffer_.get() + band : nullptr, rows_, cols_, ld_}; }

  /// What nobody has written yet holds poison; round it lie guards.
  void poison() {
    std::vector<T> chunk(1 << 16);
    const Index whole = (rows_ + 1) * ld_ + 2 * band, step = std::ssize(chunk);
    for (Index from = 0; from < whole; from += step) {
      for (Index e = 0; e < step; ++e) chunk[static_cast<std::size_t>(e)] = at_birth(from + e);
      send(chunk.data(), buffer_.get() + from, std::min(step, whole - from));
    }
  }
  /// In one copy where rows follow each other; else row by row, for what lies between them stays.
  void fill_from(View<const T> from) {
    if (ld_ == cols_) return send(from.data(), view().data(), rows_ * cols_);
    for (Index i = 0; i < rows_; ++i) send(&from(i, 0), &view()(i, 0), cols_);
  }
  void copy_to(View<T> to) const {
    if (ld_ == cols_) return fetch(view().data(), to.data(), rows_ * cols_);
    for (Index i = 0; i < rows_; ++i) fetch(&view()(i, 0), &to(i, 0), cols_);
  }

  /// False when somebody wrote outside the matrix: before it, behind it or into the padding.
  bool guards_intact() const {
    if (!buffer_) return true;
    bool intact = untouched(0, band) && untouched(band + rows_ * ld_, band + ld_);
    for (Index i = 0; i < rows_ && ld_ > cols_; ++i) intact &= untouched(band + i * ld_ + cols_, ld_ - cols_);
    return intact;
  }

 private:
  static constexpr Index band = 256 / sizeof(T);  // no less than a GPU's alignment: the matrix keeps it

  T at_birth(Index place) const {
    const Index e = place - band;
    const bool inside = 0 <= e && e < rows_ * ld_ && e % ld_ < cols_;
    return inside ? course::poison<T>() : course::guard<T>(use_, place);
  }
  void send(const T* from, T* to, Index count) const { copied(model_->to_device, from, to, count); }
  void fetch(const T* from, T* to, Index count) const { copied(model_->from_device, from, to, count); }
  void copied(bool (*by)(void*, const void*, std::size_t), const T* from, T* to, Index count) const {
    if (count > 0 && !by(to, from, sizeof(T) * static_cast<std::size_t>(count)))
      throw std::runtime_error(std::string(model_->name) + ": a copy failed");
  }
  bool untouched(Index place, Index count) const {
    std::vector<T> here(static_cast<std::size_t>(count));
    fetch(buffer_.get() + place, here.data(), count);
    const View<T> part(here.data(), 1, count, count);
    return course::Guards<T>{part, place, use_}.are_in(part);
  }

  const Model* model_ = nullptr;
  Index rows_ = 0, cols_ = 0, ld_ = 0;
  Use use_ = Use::output;
  std::shared_ptr<T> buffer_;
};

/// A kernel on views of a model's memory. Where regions run is asked before every row and every run: a
/// program that meant the GPU and got the host would print the host's time under the GPU's name.
template <class T>
class Offloaded : public course::Variant<T> {
 public:
  using Kernel = void (*)(View<const T> a, View<const T> b, View<T> c);
  Offloaded(course::VariantInfo info, Kernel kernel, const Model& model)
      : course::Variant<T>(std::move(info)), kernel_(kernel), model_(model) {}

  course::Device device() const override {
    if (!model_.on_host()) return {"gpu", model_.gpu() == nullptr ? "a GPU without a name" : model_.gpu()};
    if (!model_.host_wanted()) return {};
    const auto [kind, name, cores] = course::processor();
    return {"fallback", "host fallback: " + name, cores};
  }
  std::string refuses(const Problem<T>&, const Settings&) const override {
    if (model_.host_wanted() || !model_.on_host()) return {};
    return (offloads ? "no GPU answers " : "built without an offload compiler, so no GPU for ") +
           std::string(model_.name) + "; " + model_.to_fall_back + " runs it on the host";
  }
  Times allocate(const Problem<T>& problem, const Settings&) override {
    release();
    on_host_ = model_.on_host();
    const auto [m, n, k] = problem.shape;
    const Index pad = problem.pad;
    inputs_ = problem.whole(), fetched_ = Matrix<T>(m, n, pad);
    const double free_bytes = on_host_ ? 0 : model_.free_bytes();
    if (free_bytes > 0 && on_device(problem) > free_bytes) throw std::bad_alloc();
    const course::Stopwatch watch;
    a_ = {model_, m, k, pad, Use::input}, b_ = {model_, k, n, pad, Use::input};
    c_ = {model_, m, n, pad, Use::output};
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
    if (model_.on_host() != on_host_)
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
  static double on_device(const Problem<T>& problem) {
    const auto [m, n, k] = problem.shape;
    const auto bytes = [&](Index rows, Index cols) {
      return static_cast<double>(DeviceMatrix<T>::bytes(rows, cols, problem.pad));
    };
    return bytes(m, k) + bytes(k, n) + bytes(m, n);
  }

  Kernel kernel_;
  const Model& model_;
  course::Inputs<T> inputs_;
  bool on_host_ = true;  // where the row's memory is
  DeviceMatrix<T> a_, b_, c_;
  Matrix<T> fetched_;
};

/// The variant of a kernel on views of the model's memory.
template <class T>
std::shared_ptr<course::Variant<T>> offloaded(std::string name, std::string idea,
                                              typename Offloaded<T>::Kernel kernel, course::CostOf cost = {},
                                              const Model& model = by_openacc) {
  course::VariantInfo info{
      .name = std::move(name), .idea = std::move(idea), .cost = std::move(cost), .vector = "cuda"};
  return std::make_shared<Offloaded<T>>(std::move(info), kernel, model);
}

}  // namespace openacc

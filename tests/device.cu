// A variant on a GPU, small and whole: one thread an element of C. Step 07 begins so; device.sh is its test.
#include <algorithm>
#include <stdexcept>

#include "runner/run.hpp"

using course::Index, course::Problem, course::Settings, course::Times, course::View, course::World;

/// The status of every call comes by here: what went wrong becomes an exception that says so.
void check(cudaError_t status) {
  if (status != cudaSuccess) cudaGetLastError();  // forgotten: the next launch shall not be blamed for it
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();  // the runner asks for a smaller size
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// C += A·B. Views travel by value: a reference would be an address in the host's memory.
template <class T>
__global__ void element_each(View<const T> a, View<const T> b, View<T> c) {
  const Index e = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= c.rows() * c.cols()) return;  // the last block is seldom full
  const Index i = e / c.cols(), j = e % c.cols();
  T sum = c(i, j);
  for (Index p = 0; p < a.cols(); ++p) sum += a(i, p) * b(p, j);
  c(i, j) = sum;
}

/// What `work` takes, by marks in the GPU's own queue: the host's clock would see the launch only.
template <class Work>
double seconds_of(Work work) {
  const auto mark = [] {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event)), check(cudaEventRecord(event));
    return std::shared_ptr<CUevent_st>(event, cudaEventDestroy);
  };
  const auto start = mark();
  work();
  const auto end = mark();
  float milliseconds = 0;
  check(cudaEventSynchronize(end.get()));  // a kernel's errors show here, too
  check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()));
  return 1e-3 * milliseconds;
}

/// From anywhere to anywhere: CUDA sees by the address which memory it is.
template <class T>
void transfer(View<const T> from, View<T> to) {
  if (from.rows() == 0 || from.cols() == 0) return;
  check(cudaMemcpy2D(to.data(), to.ld() * sizeof(T), from.data(), from.ld() * sizeof(T),
                     from.cols() * sizeof(T), from.rows(), cudaMemcpyDefault));
}

/// common's Matrix in the GPU's memory: poisoned at birth, a guard band before and behind it, padded rows.
template <class T>
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  DeviceMatrix(Index rows, Index cols, Index pad) : rows_(rows), cols_(cols), ld_(cols + pad) {
    T* memory = nullptr;
    check(cudaMalloc(&memory, bytes(rows, cols, pad)));
    buffer_.reset(memory, cudaFree);
    check(cudaMemset(memory, poison, bytes(rows, cols, pad)));
  }
  static std::size_t bytes(Index rows, Index cols, Index pad) {
    return (rows * (cols + pad) + 2 * guard) * sizeof(T);
  }
  View<T> view() const { return {buffer_ ? buffer_.get() + guard : nullptr, rows_, cols_, ld_}; }

  bool guards_intact() const {
    if (!buffer_) return true;
    const T* const data = view().data();
    return poisoned({data - guard, 1, guard, guard}) && poisoned({data + cols_, rows_, ld_ - cols_, ld_}) &&
           poisoned({data + rows_ * ld_, 1, guard, guard});
  }

 private:
  static constexpr Index guard = 256 / sizeof(T);  // no less than cudaMalloc's alignment: the matrix keeps it
  static constexpr int poison = std::is_floating_point_v<T> ? 0xff : 0x81;  // each byte: NaN, or no input

  static bool poisoned(View<const T> part) {
    std::vector<T> here(part.rows() * part.cols());
    transfer(part, View<T>(here.data(), part.rows(), part.cols(), part.cols()));
    const auto* const bytes = reinterpret_cast<const unsigned char*>(here.data());
    return std::all_of(bytes, bytes + here.size() * sizeof(T), [](int byte) { return byte == poison; });
  }

  Index rows_ = 0, cols_ = 0, ld_ = 0;
  std::shared_ptr<T> buffer_;
};

template <class T>
class OnDevice : public course::Variant<T> {
 public:
  OnDevice() : course::Variant<T>({.name = "element_each", .idea = "one thread an element of C"}) {}

  std::string device() const override {
    cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "";
  }
  std::string refuses(const Problem<T>&, const Settings&, const World&) const override {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    return devices > 0 ? "" : std::string("no CUDA device: ") + cudaGetErrorString(status);
  }
  /// The host's: inputs and what C comes back to. The GPU's own is asked for by allocate.
  double bytes(const Problem<T>& problem, const Settings&) const override {
    const auto [m, n, k] = problem.shape;
    return problem.whole_bytes() + sizeof(T) * double(m) * double(n + problem.pad);
  }
  Times allocate(const Problem<T>& problem, const Settings&, const World&) override {
    release();
    problem_ = &problem;
    const auto [m, n, k] = problem.shape;
    const Index pad = problem.pad;
    problem.whole(), fetched_ = course::Matrix<T>(m, n, pad);
    const auto bytes = [pad](Index rows, Index cols) { return DeviceMatrix<T>::bytes(rows, cols, pad); };
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all));
    if (bytes(m, k) + bytes(k, n) + 2 * bytes(m, n) > free) throw std::bad_alloc();
    const course::Stopwatch watch;
    a_ = {m, k, pad}, b_ = {k, n, pad}, before_ = {m, n, pad}, c_ = {m, n, pad};
    check(cudaDeviceSynchronize());  // cudaMemset returns before it is done
    return {.alloc = watch.seconds()};
  }
  Times distribute() override {
    const course::Inputs<T>& inputs = problem_->whole();
    return {.copy_in = seconds_of([&] {
              transfer(inputs.a.view(), a_.view()), transfer(inputs.b.view(), b_.view());
              transfer(inputs.c.view(), before_.view());
            })};
  }
  void reset() override { transfer<T>(before_.view(), c_.view()); }
  Times run() override {
    constexpr Index threads = 256;
    const View<T> c = c_.view();
    const Index blocks = (c.rows() * c.cols() + threads - 1) / threads;
    return {.product = seconds_of([&] {
              if (blocks > 0) element_each<T><<<blocks, threads>>>(a_.view(), b_.view(), c);
              check(cudaGetLastError());  // a launch returns nothing
            })};
  }
  Times fetch(course::Piece<T>& piece) override {
    fetched_.poison_elements();
    const double seconds = seconds_of([&] { transfer<T>(c_.view(), fetched_.view()); });
    piece = {course::all_of(problem_->shape.m), course::all_of(problem_->shape.n), fetched_.view()};
    return {.copy_out = seconds};
  }
  bool guards_intact() const override {
    return a_.guards_intact() && b_.guards_intact() && before_.guards_intact() && c_.guards_intact() &&
           fetched_.guards_intact();
  }
  void release() override { a_ = {}, b_ = {}, before_ = {}, c_ = {}, fetched_ = {}; }

 private:
  const Problem<T>* problem_ = nullptr;
  DeviceMatrix<T> a_, b_, before_, c_;  // `before`: what C holds before the product
  course::Matrix<T> fetched_;
};

template <class T>
course::Variants<T> variants() {
  return {std::make_shared<OnDevice<T>>()};
}

int main(int argc, char** argv) {
  return course::run(argc, argv, COURSE_STEP("C += A·B on a GPU"));
}

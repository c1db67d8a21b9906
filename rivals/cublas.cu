// cuBLAS as variants like any of ours. What tensor
// cores multiply is rounded to fewer digits before, which the verifier is there to refuse: those variants
// check themselves.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>
#include <stdexcept>

#include "cublas.hpp"
#include "gpu/step.hpp"

namespace {

using course::Cuda, course::Index, course::Settings, course::Times, course::View;

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

/// Made at the first product, which takes a while, and kept until the program ends.
cublasHandle_t cublas() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made));
    return made;
  }();
  return handle;
}

template <class T>
constexpr cudaDataType_t code = std::is_same_v<T, float>    ? CUDA_R_32F
                                : std::is_same_v<T, double> ? CUDA_R_64F
                                                            : CUDA_R_16BF;

/// C += A·B. To cuBLAS, which counts by columns, our matrices are the transposes: Cᵀ += Bᵀ·Aᵀ.
template <class T>
void multiply(cublasComputeType_t how, View<const T> a, View<const T> b, View<T> c) {
  if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
  using Factor = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Factor one = 1;
  check(cublasGemmEx_64(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, c.cols(), c.rows(), a.cols(), &one, b.data(),
                        code<T>, b.ld(), a.data(), code<T>, a.ld(), &one, c.data(), code<T>, c.ld(), how,
                        CUBLAS_GEMM_DEFAULT));
}

template <class T>
std::shared_ptr<course::Variant<T>> plain(const char* name, const char* idea, cublasComputeType_t how) {
  const auto launch = [how](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    multiply<T>(how, a, b, c);
  };
  return course::gpu<T>(name, idea, launch);
}

// ------------------------------------------------------------------ on tensor cores

/// Many threads take an element each, then the next ones.
template <class From, class To>
__global__ void convert(View<const From> from, View<To> to) {
  const Index threads = Index{gridDim.x} * blockDim.x, elements = to.rows() * to.cols();
  for (Index e = Index{blockIdx.x} * blockDim.x + threadIdx.x; e < elements; e += threads)
    to(e / to.cols(), e % to.cols()) = To(float(from(e / to.cols(), e % to.cols())));
}

template <class To, class From>
Cuda::Matrix<To> converted(View<From> from) {
  Cuda::Matrix<To> to(from.rows(), from.cols(), 0, course::Memory::device);
  course::launch(convert<std::remove_const_t<From>, To>, {1024}, {256}, from, to.view());
  return to;
}

/// ‖C − Ĉ‖ / ‖Ĉ‖ in the infinity norm, of matrices on the GPU; NaN if there is one in C.
double relative_error(View<const float> c, View<const float> reference) {
  course::Matrix<float> one(c.rows(), c.cols()), other(c.rows(), c.cols());
  Cuda::transfer(c, one.view()), Cuda::transfer(reference, other.view());
  double error = 0, norm = 0;
  for (Index i = 0; i < c.rows(); ++i) {
    double difference = 0, size = 0;
    for (Index j = 0; j < c.cols(); ++j) {
      difference += std::abs(double(one.view()(i, j)) - double(other.view()(i, j)));
      size += std::abs(double(other.view()(i, j)));
    }
    if (!std::isnan(error) && !(difference <= error)) error = difference;
    norm = std::max(norm, size);
  }
  return error / norm;
}

/// Seconds of one product among many without a rest. Tensor cores run into the limit of power, and what they
/// do in the first moment they cannot keep up: only the second half counts.
template <class Work>
double sustained_seconds(Work work) {
  constexpr double in_all = 1.5, batch = 0.02;
  Cuda::seconds_of(work);  // the first of all loads its kernel
  const int products = 1 + int(batch / Cuda::seconds_of(work));
  double spent = 0, counted = 0;
  Index count = 0;
  while (count == 0 || spent < in_all) {
    const double seconds = Cuda::seconds_of([&] {
      for (int i = 0; i < products; ++i) work();
    });
    if (spent >= in_all / 2) counted += seconds, count += products;
    spent += seconds;
  }
  return counted / double(count);
}

/// A, B and C are rounded to T first, which is not timed; then the product must be as near to that in f32 as
/// its rounding allows, or it throws. The time is that of a product among many.
template <class T>
class Tensor : public course::GpuVariant<float, Cuda> {
 public:
  /// `roundoff`: the largest relative error of an input that is rounded for these units.
  Tensor(const char* name, const char* idea, cublasComputeType_t how, double roundoff)
      : GpuVariant({.name = name, .idea = idea, .vector = "cuda"},
                   [this](View<const float> a, View<const float> b, View<float> c, const Settings&) {
                     multiply_and_check(a, b, c);
                   }),
        how_(how),
        allowed_(2 * roundoff) {}

  Times run() override {
    GpuVariant::run();
    return {.product = seconds_};
  }

 private:
  /// Each product of two rounded factors is off by 2 roundoffs at most; for inputs of zero mean the errors
  /// add up as the products do, so that relative to C they stay as small.
  void multiply_and_check(View<const float> a, View<const float> b, View<float> c) {
    const auto reference = converted<float>(c);
    multiply<float>(CUBLAS_COMPUTE_32F_PEDANTIC, a, b, reference.view());
    const auto a_t = converted<T>(a), b_t = converted<T>(b), c_t = converted<T>(c);
    const auto work = [&] { multiply<T>(how_, a_t.view(), b_t.view(), c_t.view()); };
    work();
    course::launch(convert<T, float>, {1024}, {256}, c_t.view(), c);
    if (const double error = relative_error(c, reference.view()); !(error <= allowed_))
      throw std::runtime_error("relative error " + std::to_string(error) + ", allowed are " +
                               std::to_string(allowed_));
    seconds_ = sustained_seconds(work);
  }

  cublasComputeType_t how_;
  double allowed_, seconds_ = 0;
};

}  // namespace

namespace rivals {

std::string cublas_version() {
  std::string text = "cuBLAS";
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(cublasGetProperty(part, &number));
    text += (part == MAJOR_VERSION ? " " : ".") + std::to_string(number);
  }
  return text;
}

course::Variants<float> cublas_of_floats() {
  return {plain<float>("default", "f32, as it chooses", CUBLAS_COMPUTE_32F),
          plain<float>("pedantic", "f32, every operation as written", CUBLAS_COMPUTE_32F_PEDANTIC),
          std::make_shared<Tensor<float>>("tf32", "tensor cores; inputs rounded to 11 bits",
                                          CUBLAS_COMPUTE_32F_FAST_TF32, std::ldexp(1.0, -11)),
          std::make_shared<Tensor<__nv_bfloat16>>("bf16", "tensor cores; inputs and result rounded to 8 bits",
                                                  CUBLAS_COMPUTE_32F, std::ldexp(1.0, -9))};
}

course::Variants<double> cublas_of_doubles() {
  return {plain<double>("default", "f64, as it chooses", CUBLAS_COMPUTE_64F),
          plain<double>("pedantic", "f64, every operation as written", CUBLAS_COMPUTE_64F_PEDANTIC)};
}

std::shared_ptr<course::Variant<float>> on_gpu(const std::string& name, Multiply* multiply) {
  return course::gpu<float>(
      name, "ours", [multiply](View<const float> a, View<const float> b, View<float> c, const Settings&) {
        multiply(c.rows(), c.cols(), a.cols(), a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
      });
}

}  // namespace rivals

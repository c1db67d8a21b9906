// cuBLAS as variants like any of ours. Tensor cores round the factors to fewer digits before they multiply,
// which the verifier is there to refuse: those variants check themselves.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <dlfcn.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "gpu/step.hpp"
#include "library.hpp"

namespace {

using course::Cuda, course::Index, course::Settings, course::Times, course::View;

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

/// Made at the first product, which takes a while, and kept until the program ends.
cublasHandle_t cublas() {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) check(cublasCreate(&handle));
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
std::shared_ptr<course::Variant<T>> plain(cublasComputeType_t how) {
  return course::gpu<T>("", "", [how](View<const T> a, View<const T> b, View<T> c, const Settings&) {
    multiply<T>(how, a, b, c);
  });
}

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

/// A, B and C are rounded to T before the first product, which must be as near to that in f32 as its rounding
/// allows, or it complains.
template <class T>
class Tensor : public course::GpuVariant<float, Cuda> {
 public:
  /// `roundoff`: the largest relative error of an input that is rounded for these units. Each product of two
  /// rounded factors is off by 2 roundoffs at most; for inputs of zero mean the errors add up as the products
  /// do, so that relative to C they stay as small.
  Tensor(cublasComputeType_t how, double roundoff)
      : GpuVariant({}, [this](auto a, auto b, auto c, const Settings&) { rounded(a, b, c); }),
        how_(how),
        allowed_(2 * roundoff) {}

  std::string run_error() const override {
    if (error_ <= allowed_) return {};
    return "relative error " + std::to_string(error_) + ", allowed are " + std::to_string(allowed_);
  }
  void release() override { first_ = true, GpuVariant::release(); }

 private:
  void rounded(View<const float> a, View<const float> b, View<float> c) {
    if (first_) a_ = converted<T>(a), b_ = converted<T>(b), c_ = converted<T>(c);
    multiply<T>(how_, a_.view(), b_.view(), c_.view());
    if (!std::exchange(first_, false)) return;
    multiply<float>(CUBLAS_COMPUTE_32F_PEDANTIC, a, b, c);
    error_ = relative_error(converted<float>(c_.view()).view(), c);
  }

  cublasComputeType_t how_;
  double allowed_, error_ = 0;
  bool first_ = true;
  Cuda::Matrix<T> a_, b_, c_;
};

std::string version() {
  std::string text = "cuBLAS";
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(cublasGetProperty(part, &number));
    text += (part == MAJOR_VERSION ? " " : ".") + std::to_string(number);
  }
  return text;
}

/// Our best, loaded like anybody's library: C += A·B, all in the GPU's memory.
std::shared_ptr<course::Variant<float>> ours(const std::string& file) {
  using Multiply = void(Index m, Index n, Index k, const float* a, Index a_ld, const float* b, Index b_ld,
                        float* c, Index c_ld);
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, "course_gpu_sgemm");
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  const auto multiply = reinterpret_cast<Multiply*>(symbol);
  const auto launch = [multiply](View<const float> a, View<const float> b, View<float> c, const Settings&) {
    multiply(c.rows(), c.cols(), a.cols(), a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
  };
  return course::gpu<float>("", "", launch);
}

}  // namespace

rivals::Library rivals::load(const std::string& file) {
  const bool chooses = file == "default";
  if (chooses || file == "pedantic")
    return {.about = version(),
            .f32 = plain<float>(chooses ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_32F_PEDANTIC),
            .f64 = plain<double>(chooses ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_64F_PEDANTIC)};
  if (file != "tf32" && file != "bf16") return {.kernel = "best", .f32 = ours(file)};
  Library library{.rounds = true};  // to 11 bits; or to 8, the result, too
  if (file == "tf32")
    library.f32 = std::make_shared<Tensor<float>>(CUBLAS_COMPUTE_32F_FAST_TF32, std::ldexp(1., -11));
  else
    library.f32 = std::make_shared<Tensor<__nv_bfloat16>>(CUBLAS_COMPUTE_32F, std::ldexp(1., -9));
  return library;
}

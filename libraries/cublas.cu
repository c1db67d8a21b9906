// cuBLAS by itself, in each of its modes, and ours in turns with each.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <dlfcn.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "gpu/step.hpp"
#include "library.hpp"
#include "runner/turns.hpp"

namespace libraries {
namespace {

using course::bf16, course::Cuda, course::Index, course::Result, course::Settings, course::tf32, course::View;

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

/// Made at the first product, which takes a while, and kept: a thread and a device have their own.
cublasHandle_t cublas() {
  struct Handle {
    cublasHandle_t made = nullptr;
    Handle() { check(cublasCreate(&made)); }
    ~Handle() { cublasDestroy(made); }
  };
  return course::workspace<Handle>().made;
}

template <class T>
constexpr cudaDataType_t code = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;  // tf32 lies in f32

/// C += A·B. To cuBLAS, which counts by columns, our matrices are the transposes: Cᵀ += Bᵀ·Aᵀ.
template <class T>
void multiply(cublasComputeType_t how, View<const T> a, View<const T> b, View<Result<T>> c) {
  if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
  using Factor = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Factor one = 1;
  check(cublasGemmEx_64(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, c.cols(), c.rows(), a.cols(), &one, b.data(),
                        code<T>, b.ld(), a.data(), code<T>, a.ld(), &one, c.data(), code<T>, c.ld(), how,
                        CUBLAS_GEMM_DEFAULT));
}

/// The SM clock and the power of CUDA's first GPU, by the driver's NVML, whose header few have.
course::Times state() {
  static void* const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto call = [](const char* name, auto... arguments) {
    const auto symbol = nvml == nullptr ? nullptr : dlsym(nvml, name);
    return symbol != nullptr && reinterpret_cast<int (*)(decltype(arguments)...)>(symbol)(arguments...) == 0;
  };
  char bus[32] = {};
  void* device = nullptr;
  unsigned mhz = 0, milliwatts = 0;
  static const bool is_there = call("nvmlInit_v2");
  if (is_there && cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess &&
      call("nvmlDeviceGetHandleByPciBusId_v2", &bus[0], &device)) {
    call("nvmlDeviceGetClockInfo", device, 1, &mhz);  // NVML_CLOCK_SM
    call("nvmlDeviceGetPowerUsage", device, &milliwatts);
  }
  if (mhz == 0) return {};
  return {.mhz = double(mhz), .watts = 1e-3 * milliwatts};
}

template <class T>
using Product = std::function<void(View<const T> a, View<const T> b, View<Result<T>> c)>;

template <class T>
Product<T> plain(cublasComputeType_t how) {
  return [how](View<const T> a, View<const T> b, View<Result<T>> c) { multiply<T>(how, a, b, c); };
}

/// C += A·B by the fastest of cuBLASLt's heuristics for the shape, looked for before its first product.
class Fastest {
 public:
  Fastest() { check(cublasLtMatmulDescCreate(&how_, CUBLAS_COMPUTE_32F, CUDA_R_32F)); }
  void operator()(View<const bf16> a, View<const bf16> b, View<float> c) {
    if (c.rows() == 0 || c.cols() == 0 || a.cols() == 0) return;
    const std::array<Index, 6> shape{c.rows(), c.cols(), a.cols(), a.ld(), b.ld(), c.ld()};
    if (shape_ != shape) choose(a, b, c), shape_ = shape;
    check(run(algorithm_, a, b, c));
  }

 private:
  static constexpr Index workspace_bytes = 64 << 20;
  static constexpr int candidates = 16, rounds = 3, runs = 10;  // of these the mean is taken

  static cublasLtHandle_t handle() { return reinterpret_cast<cublasLtHandle_t>(cublas()); }

  /// Of the transpose: see multiply().
  template <class T>
  static std::shared_ptr<cublasLtMatrixLayoutOpaque_t> layout(View<T> view, cudaDataType_t type) {
    cublasLtMatrixLayout_t made = nullptr;
    check(cublasLtMatrixLayoutCreate(&made, type, std::uint64_t(view.cols()), std::uint64_t(view.rows()),
                                     view.ld()));
    return {made, cublasLtMatrixLayoutDestroy};
  }

  cublasStatus_t run(const cublasLtMatmulAlgo_t& algorithm, View<const bf16> a, View<const bf16> b,
                     View<float> c) {
    const float one = 1;
    return cublasLtMatmul(handle(), how_, &one, b.data(), b_.get(), a.data(), a_.get(), &one, c.data(),
                          c_.get(), c.data(), c_.get(), &algorithm, workspace_.view().data(), workspace_bytes,
                          nullptr);
  }

  void choose(View<const bf16> a, View<const bf16> b, View<float> c) {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference));
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &workspace_bytes, sizeof workspace_bytes));
    a_ = layout(a, CUDA_R_16BF), b_ = layout(b, CUDA_R_16BF), c_ = layout(c, CUDA_R_32F);
    cublasLtMatmulHeuristicResult_t found[candidates];
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle(), how_, b_.get(), a_.get(), c_.get(), c_.get(), preference,
                                         candidates, found, &count));
    check(cublasLtMatmulPreferenceDestroy(preference));
    const Cuda::Matrix<float> to(c.rows(), c.cols(), c.ld() - c.cols(), course::Memory::device);
    Cuda::transfer(View<const float>(c), to.view());
    double least = std::numeric_limits<double>::infinity();
    for (int at = 0; at < rounds * count; ++at) {
      const int one = at % count;  // each again after the others: a single slow moment decides nothing
      if (run(found[one].algo, a, b, to.view()) != CUBLAS_STATUS_SUCCESS) continue;
      const double seconds = Cuda::seconds_of([&] {
        for (int product = 0; product < runs; ++product) check(run(found[one].algo, a, b, to.view()));
      });
      if (seconds < least) least = seconds, algorithm_ = found[one].algo;
    }
    if (!std::isfinite(least)) throw std::runtime_error("cuBLASLt has no heuristic for this shape");
  }

  std::array<Index, 6> shape_{};
  cublasLtMatmulDesc_t how_ = nullptr;
  std::shared_ptr<cublasLtMatrixLayoutOpaque_t> a_, b_, c_;
  Cuda::Matrix<float> workspace_{workspace_bytes / 4, 1, 0, course::Memory::device};
  cublasLtMatmulAlgo_t algorithm_{};
};

/// f32 by nine products of BF16, wherever cuBLAS can, which is no TF32; none if it is too old to know them.
Product<float> by_nine() {
#if CUBLAS_VERSION >= 130000
  return [](View<const float> a, View<const float> b, View<float> c) {
    check(cublasSetEmulationStrategy(cublas(), CUBLAS_EMULATION_STRATEGY_EAGER));
    multiply<float>(CUBLAS_COMPUTE_32F_EMULATED_16BFX9, a, b, c);
  };
#else
  return {};
#endif
}

/// f64 by INT8 (Ozaki's first scheme), even where native f64 is faster; none if cuBLAS is too old.
Product<double> emulated() {
#if CUBLAS_VERSION >= 130100
  return [](View<const double> a, View<const double> b, View<double> c) {
    auto& memory = course::workspace<Cuda::Matrix<char>>();  // it takes eight planes and more of A and of B
    const Index bytes = 40 * (a.rows() * a.cols() + b.rows() * b.cols() + c.rows() * c.cols()) + (64 << 20);
    check(cublasSetEmulationStrategy(cublas(), CUBLAS_EMULATION_STRATEGY_EAGER));
    check(cublasSetWorkspace(cublas(), course::grow(memory, bytes), std::size_t(bytes)));
    multiply<double>(CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, a, b, c);
    check(cublasSetEmulationStrategy(cublas(), CUBLAS_EMULATION_STRATEGY_DEFAULT));
    check(cublasSetStream(cublas(), nullptr));  // with it cuBLAS has its own workspace again
  };
#else
  return {};
#endif
}

/// Our variant, loaded like anybody's library: C += A·B, all in the GPU's memory.
template <class T>
Product<T> ours(const char* file, const std::string& name) {
  using Multiply = void(Index m, Index n, Index k, const T* a, Index a_ld, const T* b, Index b_ld,
                        Result<T>* c, Index c_ld);
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name.c_str());
  if (symbol == nullptr) throw std::runtime_error(dlerror());
  return
      [multiply = reinterpret_cast<Multiply*>(symbol)](View<const T> a, View<const T> b, View<Result<T>> c) {
        multiply(c.rows(), c.cols(), a.cols(), a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
      };
}

/// A variant of ours for a type, and the least compute capability that it needs. tensor: of 13's library.
template <class T>
struct Partner {
  const char* name;
  Product<T> product;
  int capability;
  static Partner tensor(const char* name) {
    return {name, ours<T>(COURSE_TENSOR, std::string("course_tensor_") + name), 80};
  }
};

/// A mode of cuBLAS, by itself (sustained, it meets itself) and in turns with these.
template <class T>
void add(course::Variants<T>& variants, const std::string& mode, const Product<T>& theirs,
         std::vector<Partner<T>> partners, const Asked& asked) {
  if (!theirs) return;
  const std::string against = "cuBLAS " + mode;
  course::Timing timing{.sample = 2e-3};
  if (asked.sustained)  // half a second in which a GPU finds its clock
    timing = {.sample = 50e-3, .settle = 0.5, .lasts = 1, .state = state};
  partners.insert(partners.begin(), {"library", theirs, 0});
  for (const Partner<T>& partner : partners) {
    const auto launch = [first = partner.product, theirs](View<const T> a, View<const T> b, View<Result<T>> c,
                                                          const Settings&) {
      const Product<T>& product = course::next_run.side == 0 ? first : theirs;
      for (int made = 0; made < course::next_run.products; ++made) product(a, b, c);
    };
    const bool alone = &partner == &partners[0] && !asked.sustained;
    auto one = course::gpu<T>(in_turns(partner.name, asked), (alone ? "" : "in turns with ") + against,
                              launch, {}, {.capability = partner.capability});
    one->info.against = against;
    if (!alone) one = std::make_shared<course::InTurns<T>>(one->info, course::Variants<T>{one}, timing);
    variants.push_back(one);
  }
}

}  // namespace

std::vector<std::string> names() {
  return {};
}

void add_variants(course::Step& step, const Asked& asked, char**) {
  std::vector partners = {Partner<float>::tensor("f32_by_bf16"), Partner<float>::tensor("f32_by_fp16")};
  add(step.f32, "bf16x9", by_nine(), partners, asked);
  partners.push_back({"best", ours<float>(COURSE_OURS, "course_gpu_sgemm"), 80});
  add(step.f32, "default", plain<float>(CUBLAS_COMPUTE_32F), partners, asked);
  add(step.f32, "pedantic", plain<float>(CUBLAS_COMPUTE_32F_PEDANTIC), partners, asked);
  Partner<double> by_integers = Partner<double>::tensor("f64_by_integers");
  add(step.f64, "default", plain<double>(CUBLAS_COMPUTE_64F), {by_integers}, asked);
  by_integers.name = "f64_pedantic";  // names of their own: few ask for these modes
  add(step.f64, "pedantic", plain<double>(CUBLAS_COMPUTE_64F_PEDANTIC), {by_integers}, asked);
  by_integers.name = "f64_emulated";
  add(step.f64, "emulated", emulated(), {by_integers}, asked);
  const Product<bf16> fastest = [](auto a, auto b, auto c) { course::workspace<Fastest>()(a, b, c); };
  add(step.bf16, "heuristics", fastest, {Partner<bf16>::tensor("bf16")}, asked);
  add(step.tf32, "tf32", plain<tf32>(CUBLAS_COMPUTE_32F_FAST_TF32), {}, asked);
  const std::size_t version = cublasLtGetVersion();
  step.flags = "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
               std::to_string(version % 100);
}

}  // namespace libraries

// What meet_gpu has of a GPU, on the processor; LACKS and WRONG in the environment say what is not as it
// shall.
#include "rivals/cublas.hpp"

#include <cstdlib>

#include "common/cpu.hpp"

namespace rivals {
namespace {

using course::CpuCall, course::Index, course::View;

std::string asked(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

struct Here : course::CpuVariant<float> {
  using CpuVariant::CpuVariant;
  std::string refuses(const course::Problem<float>&, const course::Settings&,
                      const course::World&) const override {
    return asked("LACKS");
  }
};

template <class T, class Made = course::CpuVariant<T>>
std::shared_ptr<course::Variant<T>> variant(const std::string& name, Multiply* multiply = nullptr) {
  const auto call = [=](const CpuCall<T>& call) {
    const auto &a = call.a, &b = call.b;
    if constexpr (std::is_same_v<T, float>)
      if (multiply != nullptr)
        multiply(call.shape.m, call.shape.n, call.shape.k, a.data(), a.ld(), b.data(), b.ld(), call.c.data(),
                 call.c.ld());
    for (Index i = 0; multiply == nullptr && i < call.shape.m; ++i)
      for (Index j = 0; j < call.shape.n; ++j)
        for (Index p = asked("WRONG") == name; p < call.shape.k; ++p) call.c(i, j) += a(i, p) * b(p, j);
    return 1e-3;
  };
  return std::make_shared<Made>(course::Traits{.name = name, .idea = ""}, call, course::Workspace());
}

}  // namespace

std::string cublas_version() {
  return "cuBLAS 1.2" + asked("NVIDIA_TF32_OVERRIDE");
}
course::Variants<float> cublas_of_floats() {
  return {variant<float>("default"), variant<float>("pedantic"), variant<float>("tf32")};
}
course::Variants<double> cublas_of_doubles() {
  return {variant<double>("default")};
}
std::shared_ptr<course::Variant<float>> on_gpu(const std::string& name, Multiply* multiply) {
  return variant<float, Here>(name, multiply);
}

}  // namespace rivals

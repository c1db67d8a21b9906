// Libraries for a processor: BLAS, and what multiplies like one.
#include <dlfcn.h>
#include <glob.h>
#ifdef __linux__
#include <link.h>
#endif

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "library.hpp"
#include "runner/cpu.hpp"

namespace libraries {
namespace {

using course::Index, course::Refusal;

// BLAS as C calls it, integers of 32 bits. Eigen's module and ours offer int32_t; no BLAS does.
template <class T>
using Cblas = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a,
                       int lda, const T* b, int ldb, T beta, T* c, int ldc);
// And as Fortran does, by columns: there C = A·B is Cᵀ = Bᵀ·Aᵀ.
template <class T>
using Fortran = void (*)(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                         const int* k, const T* alpha, const T* a, const int* lda, const T* b, const int* ldb,
                         const T* beta, T* c, const int* ldc);
// oneDNN: row-major, f32 alone.
using Dnnl = int (*)(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                     float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
                     float beta, float* c, std::int64_t ldc);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

/// What a library's function of this type says, or nothing.
std::string said_by(void* library, const char* name) {
  const auto function = symbol<const char* (*)()>(library, name);
  const char* text = function != nullptr ? function() : nullptr;
  return text != nullptr ? text : "";
}

/// A folder says something on another machine only if it is the system's.
std::string known_path(const std::filesystem::path& path) {
  const std::string normal = path.lexically_normal();
  return normal.starts_with("/usr/") || normal.starts_with("/lib") ? normal : path.filename().string();
}

template <class T>
std::shared_ptr<course::Variant<T>> variant(void* library, const char* cblas_name, const char* fortran_name) {
  const auto cblas = symbol<Cblas<T>>(library, cblas_name);
  const auto fortran = symbol<Fortran<T>>(library, fortran_name);
  const auto dnnl = std::is_same_v<T, float> ? symbol<Dnnl>(library, "dnnl_sgemm") : nullptr;
  if (cblas == nullptr && dnnl == nullptr && fortran == nullptr) return nullptr;
  return course::cpu<T>("", "", [=](const course::Call<T>& call) {
    const auto& [a, b, c, bt, threads, tile] = call;
    const auto narrow = [](Index size) { return static_cast<int>(size); };  // --size ends at 2^31 - 1
    const int m = narrow(c.rows()), n = narrow(c.cols()), k = narrow(a.cols());
    const int lda = narrow(a.ld()), ldb = narrow(b.ld()), ldc = narrow(c.ld());
    const T one{1};
    for (int product = 0; product < at_once; ++product)
      if (cblas != nullptr)  // CblasRowMajor, CblasNoTrans
        cblas(101, 111, 111, m, n, k, T{1}, a.data(), lda, b.data(), ldb, T{1}, c.data(), ldc);
      else if (fortran != nullptr)
        fortran("N", "N", &n, &m, &k, &one, b.data(), &ldb, a.data(), &lda, &one, c.data(), &ldc);
      else if constexpr (std::is_same_v<T, float>)
        if (dnnl('N', 'N', m, n, k, 1, a.data(), lda, b.data(), ldb, 1, c.data(), ldc) != 0)
          throw std::runtime_error("the library reports a failure");
  });
}

/// Where each may be, the OpenMP build first: one of pthreads often puts two threads on one core. PyTorch for
/// x86 has MKL in its own library, the one that torch.mm calls.
const std::map<std::string, std::vector<std::string>> places = {
    {"eigen", {COURSE_EIGEN}},
    {"openblas",
     {"/usr/lib/*/openblas-openmp/libopenblas.so.0", "libopenblaso.so.0", "libopenblas.so.0",
      "libopenblas.so", "/usr/lib/*/openblas-pthread/libopenblas.so.0"}},
    {"blis", {"/usr/lib/*/blis-openmp/libblis.so.4", "libblis.so.4", "libblis.so.3", "libblis.so"}},
    {"onednn", {"libdnnl.so.3", "libdnnl.so.2"}},
    {"mkl", {"libmkl_rt.so.2", "libmkl_rt.so", "libtorch_cpu.so"}}};

/// The first of these files that can be loaded. Throws Refusal with the loader's last reason.
void* opened(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    glob_t found{};
    if (glob(pattern.c_str(), GLOB_NOCHECK, nullptr, &found) != 0) continue;
    const std::string file = found.gl_pathv[0];
    globfree(&found);
    // Local: two libraries with a cblas_sgemm each must not take one another's.
    if (void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  throw Refusal{dlerror()};
}

/// Starts BLIS with this kernel, which has a number that differs from version to version; says which it uses.
std::string blis_kernel(void* library, const std::string& wanted) {
  const auto name = symbol<const char* (*)(int)>(library, "bli_arch_string");
  for (int number = 0; number < 13; ++number)  // all versions have 13 or more
    if (wanted == name(number)) setenv("BLIS_ARCH_TYPE", std::to_string(number).c_str(), 1);
  if (const auto start = symbol<void (*)()>(library, "bli_init")) start();  // asked before, it aborts
  return name(symbol<int (*)()>(library, "bli_arch_query_id")());
}

}  // namespace

std::vector<std::string> names() {
  return course::texts(places, [](const auto& place) { return place.first; });
}

Library load(const std::string& name, bool avx2) {
  const bool narrow = course::lacking("avx2,fma").empty();
  const bool wide = !avx2 && course::lacking("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl").empty();
  if (narrow) setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);  // read while it is loaded
  const auto place = places.find(name);
  void* const handle = opened(place == places.end() ? std::vector{name} : place->second);
  Library library{.f32 = variant<float>(handle, "cblas_sgemm", "sgemm_"),
                  .f64 = variant<double>(handle, "cblas_dgemm", "dgemm_"),
                  .i32 = variant<std::int32_t>(handle, "cblas_igemm", "igemm_")};
  if (!library.f32 && !library.f64) throw Refusal{"it has neither cblas_sgemm, sgemm_ nor dnnl_sgemm"};
  std::string path = name;
#ifdef __linux__  // where the loader found it
  if (const link_map* map = nullptr; dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) path = map->l_name;
#endif
  library.openmp = dlsym(handle, "omp_get_max_threads") != nullptr;  // or what it is linked with
  std::string version, config;
  if (const std::string configuration = said_by(handle, "openblas_get_config"); !configuration.empty()) {
    std::istringstream stream(configuration);  // "OpenBLAS 0.3.21 NO_LAPACKE …"
    stream >> library.name >> version >> std::ws;
    std::getline(stream, config);
    library.kernel = said_by(handle, "openblas_get_corename");
  } else if (dlsym(handle, "bli_arch_query_id") != nullptr) {
    library.name = "BLIS", version = said_by(handle, "bli_info_get_version_str");
    library.kernel = blis_kernel(handle, wide ? "skx" : narrow ? "haswell" : "");
  } else if (const auto numbers = symbol<const int* (*)()>(handle, "dnnl_version")) {
    library.name = "oneDNN";
    version = fmt::format("{}", fmt::join(numbers(), numbers() + 3, "."));  // a struct begins with these
  } else if (const auto text = symbol<void (*)(char*, int)>(handle, "MKL_Get_Version_String")) {
    std::string version_text(256, '\0');
    text(version_text.data(), static_cast<int>(version_text.size()));
    version = version_text.c_str();
  } else {  // Eigen's module, and ours
    version = said_by(handle, "course_version");
    library.kernel = said_by(handle, "course_blas_rung");
    config = said_by(handle, "course_config");
    library.needs = said_by(handle, "course_needs");
  }
  if (name == "eigen") library.name = "Eigen";
  if (name == "mkl") library.name = "MKL";
  if (place == places.end()) library.name = std::filesystem::path(name).filename();
  if (!library.kernel.empty()) library.name += " " + library.kernel;
  for (const std::string& part : {version, config, known_path(path)})
    if (!part.empty()) library.about += (library.about.empty() ? "" : "; ") + part;
  return library;
}

}  // namespace libraries

#include "library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>

#include "common/cpu.hpp"
#include "runner/text.hpp"

namespace rivals {
namespace {

using course::Refusal;

constexpr int row_major = 101, as_it_is = 111;  // CblasRowMajor, CblasNoTrans

// BLAS as C calls it, integers of 32 bits. Eigen's module and ours offer int32_t; no BLAS does.
template <class T>
using Cblas = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a,
                       int lda, const T* b, int ldb, T beta, T* c, int ldc);
// oneDNN: row-major, f32 alone.
using Dnnl = int (*)(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                     float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
                     float beta, float* c, std::int64_t ldc);
template <class T>
constexpr const char* cblas_name = std::is_same_v<T, float>    ? "cblas_sgemm"
                                   : std::is_same_v<T, double> ? "cblas_dgemm"
                                                               : "cblas_igemm";

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

/// Whether the library asks for libgomp, libomp or libiomp5.
bool has_openmp(const link_map* map) {
  const char* texts = nullptr;  // every library has them
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && std::strstr(texts + entry->d_un.d_val, "omp") != nullptr) return true;
  return false;
}

/// Where it was built or carried to says nothing on another machine: only the system's libraries keep their
/// folder.
std::string known_path(const std::string& path) {
  const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
  const bool systems = normal.string().starts_with("/usr/") || normal.string().starts_with("/lib");
  return (systems ? normal : normal.filename()).string();
}

int narrow(Index size) {
  if (size > std::numeric_limits<int>::max())
    throw Refusal{fmt::format("a library's integers end at 2147483647, {} is beyond", size)};
  return static_cast<int>(size);
}

/// Seconds of one call.
template <class T>
double timed(const Cblas<T> cblas, const Dnnl dnnl, const course::CpuCall<T>& call) {
  // [call]
  const auto& [a, b, c, workspace, shape, settings] = call;
  const int m = narrow(c.rows()), n = narrow(c.cols()), k = narrow(a.cols());
  const int lda = narrow(a.ld()), ldb = narrow(b.ld()), ldc = narrow(c.ld());
  const course::Stopwatch watch;
  if (cblas != nullptr) {
    cblas(row_major, as_it_is, as_it_is, m, n, k, T{1}, a.data(), lda, b.data(), ldb, T{1}, c.data(), ldc);
    return watch.seconds();
  }
  // [/call]
  if constexpr (std::is_same_v<T, float>)
    if (dnnl('N', 'N', m, n, k, 1, a.data(), lda, b.data(), ldb, 1, c.data(), ldc) != 0)
      throw Refusal{"the library reports a failure"};
  return watch.seconds();
}

}  // namespace

Library::Library(const std::string& file)
    // Local: two libraries with a cblas_sgemm each must not take one another's.
    : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw Refusal{dlerror()};
  if (!variant<float>() && !variant<double>()) throw Refusal{"it has neither cblas_sgemm nor dnnl_sgemm"};
  const link_map* map = nullptr;
  dlinfo(handle_, RTLD_DI_LINKMAP, &map);
  openmp = has_openmp(map);
  path = known_path(map->l_name);
  // What each says of itself.
  if (const std::string words = said_by(handle_, "openblas_get_config"); !words.empty()) {
    std::istringstream stream(words);  // "OpenBLAS 0.3.21 NO_LAPACKE …"
    std::string name;
    stream >> name >> version >> std::ws;
    std::getline(stream, config);
    kernel = said_by(handle_, "openblas_get_corename");
  } else if (const auto id = symbol<int (*)()>(handle_, "bli_arch_query_id")) {
    if (const auto start = symbol<void (*)()>(handle_, "bli_init")) start();  // asked before, it aborts
    const auto kernel_name = symbol<const char* (*)(int)>(handle_, "bli_arch_string");
    version = said_by(handle_, "bli_info_get_version_str");
    kernel = config = kernel_name(id());
    for (int number = 0; number < 13; ++number)  // all versions have 13 or more
      kernels.append(kernel_name(number)).append(" ");
  } else if (const auto numbers = symbol<const int* (*)()>(handle_, "dnnl_version")) {
    version = fmt::format("{}", fmt::join(numbers(), numbers() + 3, "."));  // a struct that begins with these
  } else if (const auto text = symbol<void (*)(char*, int)>(handle_, "MKL_Get_Version_String")) {
    std::string words(256, '\0');
    text(words.data(), static_cast<int>(words.size()));
    version = words.c_str();
  } else {  // Eigen's module, and ours
    version = said_by(handle_, "course_version");
    kernel = said_by(handle_, "course_blas_rung");
    config = said_by(handle_, "course_config");
    needs = said_by(handle_, "course_needs");
  }
}

template <class T>
std::shared_ptr<course::Variant<T>> Library::variant() const {
  const auto cblas = symbol<Cblas<T>>(handle_, cblas_name<T>);
  const auto dnnl = std::is_same_v<T, float> ? symbol<Dnnl>(handle_, "dnnl_sgemm") : nullptr;
  if (cblas == nullptr && dnnl == nullptr) return nullptr;
  const auto call = [=](const course::CpuCall<T>& call) { return timed<T>(cblas, dnnl, call); };
  return std::make_shared<course::CpuVariant<T>>(course::Traits{.name = path, .idea = ""}, call,
                                                 course::Workspace());
}

template std::shared_ptr<course::Variant<float>> Library::variant() const;
template std::shared_ptr<course::Variant<double>> Library::variant() const;
template std::shared_ptr<course::Variant<std::int32_t>> Library::variant() const;

}  // namespace rivals

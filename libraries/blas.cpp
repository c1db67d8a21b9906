// Libraries for a processor: BLAS, and what multiplies like one.
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "library.hpp"
#include "runner/cpu.hpp"
#include "runner/session.hpp"
#include "runner/turns.hpp"

namespace libraries {
namespace {

using course::KernelArgs, course::Index, course::Refusal;

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

/// The text that a library's function of this type returns, or nothing.
std::string said_by(void* library, const char* name) {
  const auto function = symbol<const char* (*)()>(library, name);
  const char* const said = function != nullptr ? function() : nullptr;
  return said != nullptr ? said : "";
}

template <class T>
using Product = std::function<void(const KernelArgs<T>&)>;

/// A library that was loaded, and stays so.
struct Library {
  std::string name = {};    // "OpenBLAS SkylakeX": as it says itself, with its kernel
  std::string kernel = {};  // "SkylakeX"; empty if it does not say
  std::string about = {};   // "0.3.21 NO_LAPACKE …; libopenblas.so.0": what it says of itself, its file
  bool openmp = false;      // its threads are OpenMP's
  Product<float> f32 = {};  // nothing of a type that it does not multiply
  Product<double> f64 = {};
  Product<std::int32_t> i32 = {};
};

template <class T>
Product<T> product(void* library, const char* cblas_name, const char* fortran_name) {
  const auto cblas = symbol<Cblas<T>>(library, cblas_name);
  const auto fortran = symbol<Fortran<T>>(library, fortran_name);
  const auto dnnl = std::is_same_v<T, float> ? symbol<Dnnl>(library, "dnnl_sgemm") : nullptr;
  if (cblas == nullptr && dnnl == nullptr && fortran == nullptr) return {};
  return [=](const KernelArgs<T>& call) {
    const course::View<const T> a = call.a, b = call.b;
    const course::View<T> c = call.c;
    const auto narrow = [](Index size) { return static_cast<int>(size); };  // --size ends at 2^31 - 1
    const auto wide = [&](Index ld) { return std::max(1, narrow(ld)); };    // of no columns, too
    const int m = narrow(c.rows()), n = narrow(c.cols()), k = narrow(a.cols());
    const int lda = wide(a.ld()), ldb = wide(b.ld()), ldc = wide(c.ld());
    const T one{1};
    for (int made = 0; made < course::next_run.products; ++made)
      if (cblas != nullptr)  // CblasRowMajor, CblasNoTrans
        cblas(101, 111, 111, m, n, k, T{1}, a.data(), lda, b.data(), ldb, T{1}, c.data(), ldc);
      else if (fortran != nullptr)
        fortran("N", "N", &n, &m, &k, &one, b.data(), &ldb, a.data(), &lda, &one, c.data(), &ldc);
      else if constexpr (std::is_same_v<T, float>)
        if (dnnl('N', 'N', m, n, k, 1, a.data(), lda, b.data(), ldb, 1, c.data(), ldc) != 0)
          throw std::runtime_error("the library reports a failure");
  };
}

/// The files of each library, the OpenMP build first: one of pthreads often puts two threads on one core.
const std::map<std::string, std::vector<std::string>> places = {
    {"eigen", {COURSE_EIGEN}},
    {"openblas",
     {"/usr/lib/*/openblas-openmp/libopenblas.so.0", "libopenblaso.so.0", "libopenblas.so.0",
      "libopenblas.so", "/usr/lib/*/openblas-pthread/libopenblas.so.0"}},
    {"blis", {"/usr/lib/*/blis-openmp/libblis.so.4", "libblis.so.4", "libblis.so.3", "libblis.so"}},
    {"onednn", {"libdnnl.so.3", "libdnnl.so.2"}},
    {"mkl", {"libmkl_rt.so.2", "libmkl_rt.so", "libtorch_cpu.so"}}};

/// The first of these files that can be loaded, and its name. Throws Refusal with the loader's last reason.
std::pair<void*, std::string> opened(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    glob_t found{};
    if (glob(pattern.c_str(), GLOB_NOCHECK, nullptr, &found) != 0) continue;
    const std::filesystem::path file = found.gl_pathv[0];
    globfree(&found);
    // Local: two libraries with a cblas_sgemm each must not take one another's.
    if (void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, file.filename()};
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

/// The library of a name or in a file, told to use its widest kernel here, or that for AVX2. Throws Refusal
/// with the loader's reason, or if it multiplies no matrices.
Library load(const std::string& name, bool avx2) {
  const bool narrow = course::lacking("avx2,fma").empty();
  const bool wide = !avx2 && course::lacking("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl").empty();
  if (narrow) setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);  // read while it is loaded
  if (avx2) setenv("DNNL_MAX_CPU_ISA", "AVX2", 1), setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);
  const bool named = places.contains(name), here = std::filesystem::exists(name);
  // The loader looks here for what has a slash.
  const std::vector<std::string> given = {here ? std::filesystem::absolute(name).string() : name};
  const auto [handle, file] = opened(named ? places.at(name) : given);
  Library library{.f32 = product<float>(handle, "cblas_sgemm", "sgemm_"),
                  .f64 = product<double>(handle, "cblas_dgemm", "dgemm_"),
                  .i32 = product<std::int32_t>(handle, "cblas_igemm", "igemm_")};
  if (!library.f32 && !library.f64) throw Refusal{"it has neither cblas_sgemm, sgemm_ nor dnnl_sgemm"};
  library.openmp = dlsym(handle, "omp_get_max_threads") != nullptr;  // or what it is linked with
  std::string version;
  if (const std::string config = said_by(handle, "openblas_get_config"); !config.empty()) {
    library.name = "OpenBLAS",
    version = config.substr(config.find(' ') + 1);  // "OpenBLAS 0.3.21 NO_LAPACKE …"
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
    library.kernel = said_by(handle, "course_blas_variant");
  }
  if (name == "eigen") library.name = "Eigen";
  if (name == "mkl") library.name = "MKL";
  if (!named) library.name = file;
  if (!library.kernel.empty()) library.name += " " + library.kernel;
  library.about = version + (version.empty() ? "" : "; ") + file;
  return library;
}

/// Makes any library use so many threads, one a core as long as there are cores. OpenMP reads where its
/// threads go before main(), so the program begins anew where its environment is another.
void set_threads(int threads, bool openmp, char** argv) {
  const std::string count = std::to_string(threads);
  std::map<std::string, std::string> wanted = {
      {"OMP_NUM_THREADS", count},
      {"OPENBLAS_NUM_THREADS", count},
      {"BLIS_NUM_THREADS", count},
      {"MKL_NUM_THREADS", count},
      {"MKL_DYNAMIC", "FALSE"},
      {"OMP_DYNAMIC", "FALSE"},
      // One thread alone goes where the system finds room. Our own OpenMP would bind the first thread to one
      // core, and threads that are not OpenMP's would be born there, all of them.
      {"OMP_PROC_BIND", threads > 1 && openmp ? "true" : "false"},
      {"OMP_PLACES", threads > course::usable_cpus() ? "threads" : "cores"}};
  // Our threads wait for more work at full speed, and would disturb its own.
  if (threads > 1 && !openmp) wanted["GOMP_SPINCOUNT"] = "10000";
  bool as_wanted = true;
  for (const auto& [name, value] : wanted) {
    const char* const there = std::getenv(name.c_str());
    as_wanted &= there != nullptr && value == there;
    setenv(name.c_str(), value.c_str(), 1);
  }
  if (!as_wanted) execv("/proc/self/exe", argv);
}

/// Ends this process where a product takes far too long: a library may hang.
template <class T>
struct Watched : course::CpuVariant<T> {
  Watched(const course::VariantInfo& info, const Product<T>& product)
      : course::CpuVariant<T>(info, product), there(product) {}
  std::shared_ptr<course::Variant<T>> another() const override { return {}; }
  std::string refuses(const course::Problem<T>&, const course::Settings&) const override {
    return there ? "" : this->info.against + " multiplies no " + course::type_name<T>;
  }
  course::Times allocate(const course::Problem<T>& problem, const course::Settings& settings) override {
    limit = static_cast<unsigned>(10 + 2e-9 * problem.shape.flops());
    return course::CpuVariant<T>::allocate(problem, settings);
  }
  void reset() override { alarm(limit), course::CpuVariant<T>::reset(); }
  course::View<const T> result() override { return alarm(0), course::CpuVariant<T>::result(); }
  void release() override { alarm(0), course::CpuVariant<T>::release(); }
  bool there;
  unsigned limit = 0;
};

/// Throws Missing if a product does not use so many threads: those of a team are there when it is done,
/// others have used so much of the processor.
template <class T>
void require_team(const Product<T>& product, int threads) {
  if (!product || threads == 1) return;
  Watched<T> variant(course::VariantInfo{}, product);
  const course::Problem<T> problem{{512, 512, 512}};
  variant.allocate(problem, {});
  double share = 0;
  for (int run = 0; run < 5 && share < 0.6 * threads; ++run) {
    variant.reset();
    const double before = double(std::clock()), ticks = CLOCKS_PER_SEC * *variant.run().product;
    std::error_code none;
    const auto team = std::distance(std::filesystem::directory_iterator("/proc/self/task", none), {});
    share = team >= threads ? threads : std::max(share, (double(std::clock()) - before) / ticks);
  }
  variant.result();
  if (share < 0.6 * threads)
    throw Missing{fmt::format("asked for {} threads, it uses {:.2g}", threads, share)};
}

template <class T>
void add(course::Variants<T>& variants, const Library& theirs, const Library& ours, Product<T> Library::*type,
         const Asked& asked) {
  const Product<T>&their_product = theirs.*type, &our_product = ours.*type;
  course::VariantInfo info{
      .name = "library", .idea = theirs.name + ": " + theirs.about, .threads = true, .against = theirs.name};
  if (!asked.sustained) variants.push_back(std::make_shared<Watched<T>>(info, their_product));
  info.name = in_turns(ours.kernel, asked), info.idea = "in turns with " + theirs.name;
  Product<T> both;
  if (their_product && our_product)
    both = [their_product, our_product](const KernelArgs<T>& call) {
      course::next_run.side == 0 ? our_product(call) : their_product(call);
    };
  const bool apart = asked.threads > 1 && !theirs.openmp;
  course::Timing timing{.sample = 1e-3, .settle = apart ? 5e-3 : 0};
  if (asked.sustained) timing.settle = 0.5, timing.lasts = 1;
  variants.push_back(std::make_shared<course::InTurns<T>>(
      info, course::Variants<T>{std::make_shared<Watched<T>>(info, both)}, timing));
}

}  // namespace

std::vector<std::string> names() {
  return course::texts(places, [](const auto& place) { return place.first; });
}

void add_variants(course::Step& step, const Asked& asked, char** argv) {
  const std::string known = "give a file, or one of " + course::joined(names());
  if (asked.library.empty()) throw Refusal{"--library: which one? " + known};
  course::require_threads({asked.threads});
  if (asked.threads > course::usable_cpus())  // its rates would be those of fewer
    throw Refusal{fmt::format("--threads: '{}' is more than the {} hardware threads here", asked.threads,
                              course::usable_cpus())};
  if (asked.avx2) {
    if (const std::string missing = course::lacking("avx2,fma"); !missing.empty())
      throw Missing{"this processor lacks " + missing};
    setenv("COURSE_VARIANT", "tuned", 1);
  }
  Library theirs;
  try {
    theirs = load(asked.library, asked.avx2);
  } catch (const Refusal& refusal) {
    if (!places.contains(asked.library)) throw Refusal{"--library: " + refusal.message + "; " + known};
    throw Missing{refusal.message};
  }
  set_threads(asked.threads, theirs.openmp, argv);
  require_team(theirs.f32, asked.threads), require_team(theirs.f64, asked.threads);
  const Library ours = load(COURSE_OURS, false);
  step.flags = theirs.about;
  add(step.f32, theirs, ours, &Library::f32, asked);
  add(step.f64, theirs, ours, &Library::f64, asked);
  add(step.i32, theirs, ours, &Library::i32, asked);
}

}  // namespace libraries

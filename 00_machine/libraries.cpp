#include "libraries.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>

#include "runner/machine.hpp"
#include "runner/text.hpp"

namespace machine {
namespace {

using course::Refusal;

constexpr int row_major = 101, as_it_is = 111;  // CblasRowMajor, CblasNoTrans

// BLAS as C calls it, integers of 32 bits. Eigen's module offers the third; no BLAS does.
template <class T>
using Cblas = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a,
                       int lda, const T* b, int ldb, T beta, T* c, int ldc);
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

void* open(const std::string& file) {
  // Local: two libraries with a cblas_sgemm each must not take one another's.
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

bool multiplies(void* library) {
  return dlsym(library, "cblas_sgemm") != nullptr || dlsym(library, "dnnl_sgemm") != nullptr;
}

struct Probe {
  bool found = false, openmp = false;
  std::string text;  // the loader's reason, or a line of BLIS's kernels in the order of their numbers
};

/// Whether the library's threads are OpenMP's: it asks for libgomp, libomp or libiomp5.
bool has_openmp(void* library) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
  const char* texts = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const ElfW(Dyn)* entry = map->l_ld; texts != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && std::strstr(texts + entry->d_un.d_val, "omp") != nullptr) return true;
  return false;
}

/// "+" (its threads are its own) or "o" (OpenMP's) and BLIS's kernels in the order of their numbers, or "-"
/// and why the file is of no use.
std::string inspect(const std::string& file) {
  void* const library = open(file);
  if (library == nullptr) return std::string("-").append(dlerror());
  if (!multiplies(library)) return "-it has neither cblas_sgemm nor dnnl_sgemm";
  std::string text = has_openmp(library) ? "o" : "+";
  if (const auto name = symbol<const char* (*)(int)>(library, "bli_arch_string"))
    for (int id = 0; id < 13; ++id) text.append(name(id)).append(" ");  // all versions have 13 or more
  return text;
}

/// Loads the file in a process of its own, which tells what it found and ends.
Probe probe(const std::string& file) {
  int ends[2];
  if (pipe(ends) != 0) throw Refusal{std::string("cannot make a pipe: ") + std::strerror(errno)};
  const pid_t child = fork();
  if (child < 0) throw Refusal{std::string("cannot start a process: ") + std::strerror(errno)};
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const std::string text = inspect(file);
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written < 0 ? 1 : 0);  // not exit: what the library registered must not run
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (text.empty())
    return {false, false, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended the process"};
  return {text[0] != '-', text[0] == 'o', text.substr(1)};
}

/// The first of these files, or of the files a pattern with * matches, that can be loaded.
std::string first_of(const std::vector<std::string>& patterns, Probe& found) {
  for (const std::string& pattern : patterns) {
    std::vector<std::string> files = {pattern};
    if (pattern.find('*') != std::string::npos) {
      glob_t matched = {};
      files.clear();
      if (glob(pattern.c_str(), 0, nullptr, &matched) == 0)
        files.assign(matched.gl_pathv, matched.gl_pathv + matched.gl_pathc);
      globfree(&matched);
    }
    for (const std::string& file : files)
      if (found = probe(file); found.found) return file;
  }
  return {};
}

/// A kernel that can be asked for, and the features of the processor it needs.
struct Setting {
  const char *name, *sets;
};
constexpr const char *avx2 = "avx2,fma", *avx512 = "avx512f,avx512cd,avx512dq,avx512bw,avx512vl",
                     *bf16 = "avx512f,avx512cd,avx512dq,avx512bw,avx512vl,avx512bf16";
constexpr Setting openblas_settings[] = {
    {"Haswell", avx2}, {"Zen", avx2}, {"SkylakeX", avx512}, {"Cooperlake", bf16}, {"SapphireRapids", bf16}};
constexpr Setting blis_settings[] = {{"haswell", avx2}, {"zen", avx2},   {"zen2", avx2},
                                     {"zen3", avx2},    {"skx", avx512}, {"zen4", avx512}};

void add(std::vector<Candidate>& list, const std::string& name, const std::string& part,
         const std::vector<std::string>& files) {
  Probe found;
  const std::string file = first_of(files, found);
  if (file.empty()) return;
  list.push_back({name, part, "", file, found.openmp, {}});
  if (part == "openblas")
    for (const Setting& setting : openblas_settings)
      if (course::lacking(setting.sets).empty())
        list.push_back({name, part, setting.name, file, found.openmp, {{"OPENBLAS_CORETYPE", setting.name}}});
  if (part == "blis")
    for (const Setting& setting : blis_settings) {
      std::istringstream names(found.text);  // their numbers differ from version to version: ask
      std::string known;
      for (int id = 0; names >> known; ++id)
        if (known == setting.name && course::lacking(setting.sets).empty())
          list.push_back({name, part, known, file, found.openmp, {{"BLIS_ARCH_TYPE", std::to_string(id)}}});
    }
}

int narrow(Index size) {
  if (size > std::numeric_limits<int>::max())
    throw Refusal{"a library's integers end at 2147483647, " + std::to_string(size) + " is beyond"};
  return static_cast<int>(size);
}

}  // namespace

struct Library::Symbols {
  Cblas<float> f32;
  Cblas<double> f64;
  Cblas<std::int32_t> i32;
  Dnnl dnnl;

  template <class T>
  Cblas<T> cblas() const {
    if constexpr (std::is_same_v<T, float>)
      return f32;
    else if constexpr (std::is_same_v<T, double>)
      return f64;
    else
      return i32;
  }
};

const std::vector<std::string>& library_parts() {
  static const std::vector<std::string> parts = {"eigen", "openblas", "blis", "onednn", "mkl", "blas"};
  return parts;
}

void add_blas(CLI::App& app, std::vector<std::string>& files) {
  course::add_list(app, "--blas", "Libraries with cblas_sgemm: FILE,...", files,
                   [](auto& option, auto& item) {
                     if (item.empty())
                       throw Refusal{option + ": '' names no file; give a shared library's path"};
                     return item;
                   });
}

void require_cpus(const std::vector<int>& counts) {
  const int cpus = course::usable_cpus();
  for (const int threads : counts)
    if (threads > cpus)
      throw Refusal{fmt::format("--threads: '{}' is more than the {} hardware threads this process may use",
                                threads, cpus)};
}

std::vector<Candidate> candidates(const std::vector<std::string>& files) {
  std::error_code unreadable;
  const auto programs = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  std::vector<Candidate> list;
  if (course::lacking(COURSE_NATIVE_FEATURES).empty())  // Eigen was compiled for the builder's processor
    add(list, "Eigen", "eigen", {programs.string() + "/../00_machine/libcourse_eigen.so"});
  // The OpenMP build first: the one of pthreads often puts two threads on one core.
  add(list, "OpenBLAS", "openblas",
      {"/usr/lib/*/openblas-openmp/libopenblas.so.0", "libopenblaso.so.0", "libopenblas.so.0",
       "libopenblas.so", "/usr/lib/*/openblas-pthread/libopenblas.so.0"});
  add(list, "BLIS", "blis",
      {"/usr/lib/*/blis-openmp/libblis.so.4", "libblis.so.4", "libblis.so.3", "libblis.so"});
  add(list, "oneDNN", "onednn", {"libdnnl.so.3", "libdnnl.so.2"});
  add(list, "MKL", "mkl", {"libmkl_rt.so.2", "libmkl_rt.so"});
  for (const std::string& file : files) {
    // Without a slash the loader would look everywhere but here.
    const std::string path = std::filesystem::exists(file, unreadable)
                                 ? std::filesystem::absolute(file, unreadable).string()
                                 : file;
    const Probe found = probe(path);
    if (!found.found)
      throw Refusal{"--blas: '" + file + "' cannot be used: " + found.text +
                    "; give a shared library with cblas_sgemm"};
    list.push_back({std::filesystem::path(file).filename().string(), "blas", "", path, found.openmp, {}});
  }
  return list;
}

std::vector<std::vector<Candidate>> by_library(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<Candidate>> libraries;
  for (const Candidate& candidate : candidates) {
    if (libraries.empty() || libraries.back()[0].file != candidate.file) libraries.emplace_back();
    libraries.back().push_back(candidate);
  }
  return libraries;
}

bool knows(const Candidate& setting, const std::string& kernel) {
  return setting.setting.empty() || kernel.empty() ||
         std::equal(setting.setting.begin(), setting.setting.end(), kernel.begin(), kernel.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Choice choose(const std::vector<Candidate>& settings, const std::string& what,
              const std::function<Look(const Candidate&)>& look) {
  constexpr double clearly = 1.03;
  Choice choice;
  double most = 0, as_chosen = 0;
  std::printf("library %s, %s on 1 thread:", settings[0].name.c_str(), what.c_str());
  for (const Candidate& setting : settings) {
    const auto [kernel, rate] = look(setting);
    if (!rate) continue;
    const bool own = setting.setting.empty();
    std::printf(" %s %.4g", own ? ("(" + kernel + ")").c_str() : setting.setting.c_str(), *rate);
    std::fflush(stdout);
    if (own) choice.chosen = &setting, as_chosen = *rate;
    if (*rate > most) choice.best = &setting, most = *rate;
  }
  std::printf(" GFLOP/s\n");
  if (choice.chosen != nullptr && most < clearly * as_chosen) choice.best = choice.chosen;
  return choice;
}

Choice remembered(const std::vector<Candidate>& settings, const std::optional<std::string>& best) {
  if (settings.size() == 1) return {&settings[0], &settings[0]};
  for (const Candidate& setting : settings)
    if (best && setting.label() == *best) return {&settings[0], &setting};
  return {};
}

bool is_best(const std::string& library, const std::string& label, const std::string& note) {
  return (label == library || label.starts_with(library + " ")) &&
         (note.starts_with("best;") || note.starts_with("as chosen and best;"));
}

Environment thread_environment(int threads, int cores, bool openmp) {
  const std::string count = std::to_string(threads);
  Environment environment = {{"OMP_NUM_THREADS", count},  {"OPENBLAS_NUM_THREADS", count},
                             {"BLIS_NUM_THREADS", count}, {"MKL_NUM_THREADS", count},
                             {"MKL_DYNAMIC", "FALSE"},    {"OMP_DYNAMIC", "FALSE"}};
  // One thread alone goes where the system finds room. Our own OpenMP would bind the first thread to one
  // core, and threads that are not OpenMP's would be born there, all of them.
  environment.emplace_back("OMP_PROC_BIND", threads > 1 && openmp ? "true" : "false");
  environment.emplace_back("OMP_PLACES", threads > cores ? "threads" : "cores");
  return environment;
}

void set(const Environment& environment) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
}

Library load(const Candidate& candidate) {
  void* const handle = open(candidate.file);
  if (handle == nullptr) throw Refusal{candidate.label() + " cannot be loaded: " + dlerror()};
  Library library;
  library.name = candidate.label();
  library.path = candidate.file;
  if (const link_map* map = nullptr; dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0')
    library.path = std::filesystem::path(map->l_name).lexically_normal().string();
  // Where it was built or carried to says nothing on another machine: only the system's libraries keep their
  // path.
  if (!library.path.starts_with("/usr/") && !library.path.starts_with("/lib"))
    library.path = std::filesystem::path(library.path).filename().string();
  library.symbols_ = std::make_shared<const Library::Symbols>(Library::Symbols{
      symbol<Cblas<float>>(handle, "cblas_sgemm"), symbol<Cblas<double>>(handle, "cblas_dgemm"),
      symbol<Cblas<std::int32_t>>(handle, "cblas_igemm"), symbol<Dnnl>(handle, "dnnl_sgemm")});
  if (!library.has<float>() && !library.has<double>())
    throw Refusal{candidate.label() + " has neither cblas_sgemm nor dnnl_sgemm"};

  // What each says of itself.
  if (const std::string words = said_by(handle, "openblas_get_config"); !words.empty()) {
    std::istringstream stream(words);  // "OpenBLAS 0.3.21 NO_LAPACKE …"
    std::string name;
    stream >> name >> library.version >> std::ws;
    std::getline(stream, library.config);
    library.kernel = said_by(handle, "openblas_get_corename");
  } else if (const auto id = symbol<int (*)()>(handle, "bli_arch_query_id")) {
    if (const auto start = symbol<void (*)()>(handle, "bli_init")) start();  // asked before, it aborts
    library.version = said_by(handle, "bli_info_get_version_str");
    library.kernel = library.config = symbol<const char* (*)(int)>(handle, "bli_arch_string")(id());
  } else if (const auto version = symbol<const int* (*)()>(handle, "dnnl_version")) {
    const int* const number = version();  // a struct that begins with three integers
    library.version = std::to_string(number[0]).append(".").append(std::to_string(number[1]));
    library.version.append(".").append(std::to_string(number[2]));
  } else if (const auto text = symbol<void (*)(char*, int)>(handle, "MKL_Get_Version_String")) {
    char words[256] = "";
    text(words, sizeof words - 1);
    library.version = words;
  } else {
    library.version = said_by(handle, "course_eigen_version");
    library.config = said_by(handle, "course_eigen_config");
  }
  return library;
}

template <class T>
bool Library::has() const {
  if (std::is_same_v<T, float> && symbols_->dnnl != nullptr) return true;
  return symbols_->cblas<T>() != nullptr;
}

// [call]
template <class T>
void Library::gemm(View<const T> a, View<const T> b, View<T> c) const {
  const int m = narrow(c.rows()), n = narrow(c.cols()), k = narrow(a.cols());
  const int lda = narrow(a.ld()), ldb = narrow(b.ld()), ldc = narrow(c.ld());
  if (const Cblas<T> cblas = symbols_->cblas<T>())
    return cblas(row_major, as_it_is, as_it_is, m, n, k, T{1}, a.data(), lda, b.data(), ldb, T{1}, c.data(),
                 ldc);
  if constexpr (std::is_same_v<T, float>)
    if (symbols_->dnnl('N', 'N', m, n, k, 1, a.data(), lda, b.data(), ldb, 1, c.data(), ldc) != 0)
      throw Refusal{name + " reports a failure"};
}
// [/call]

template bool Library::has<float>() const;
template bool Library::has<double>() const;
template bool Library::has<std::int32_t>() const;
template void Library::gemm(View<const float>, View<const float>, View<float>) const;
template void Library::gemm(View<const double>, View<const double>, View<double>) const;
template void Library::gemm(View<const std::int32_t>, View<const std::int32_t>, View<std::int32_t>) const;

}  // namespace machine

// cuBLAS, alone or in turns with ours; rivals.py starts it.
//   meet_gpu [OPTIONS]             its ways to multiply, variants like any step's
//   meet_gpu duel FILE [OPTIONS]   ours, a library, against each of its ways: rows of rivals.csv
#include <dlfcn.h>

#include "cublas.hpp"
#include "meeting.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"
#include "starter.hpp"

namespace {

using namespace rivals;

/// Ours is loaded like anybody's library.
std::shared_ptr<course::Variant<float>> ours_of(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const multiply = library == nullptr ? nullptr : dlsym(library, "course_gpu_sgemm");
  if (multiply == nullptr) throw course::Refusal{"duel: '" + file + "' cannot be used: " + dlerror()};
  return on_gpu("best", reinterpret_cast<Multiply*>(multiply));
}

int run_duels(int argc, const char* const* argv) {
  Asked asked;
  if (!asked.parse(argc, argv)) return 0;
  const Side ours{"best", ours_of(argv[0]), {}, {}};
  if (const std::string why = ours.f32->refuses({}, {}, {}); !why.empty()) {
    fmt::print(stderr, "rivals: cuBLAS skipped: {}\n", why);
    return 77;
  }
  int worst = 0;
  for (const auto& variant : cublas_of_floats()) {
    if (variant->traits.name != "default" && variant->traits.name != "pedantic") continue;
    worst = std::max(worst, run_duels(ours, {"cuBLAS " + variant->traits.name, variant, {}, {}}, asked));
  }
  return worst;
}

int run(int argc, const char* const* argv) {
  if (argc > 2 && argv[1] == std::string("duel")) return run_duels(argc - 2, argv + 2);
  return course::run(
      argc, argv,
      {"rivals", cublas_version(), COURSE_FLAGS, "", cublas_of_floats(), cublas_of_doubles(), {}});
}

}  // namespace

int main(int argc, char** argv) {
  end_with_starter();
  unsetenv("NVIDIA_TF32_OVERRIDE");  // it would make f32 what it is not
  return course::guarded("rivals", [&] { return run(argc, argv); });
}

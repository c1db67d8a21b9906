// Each variant of a GPU's step (COURSE_MAIN is its main.cu) starts the kernel that it is called after, in the
// memory that its name says: a result tells of neither.
#include <cxxabi.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "gpu/step.hpp"
#undef COURSE_GPU_STEP
#define COURSE_GPU_STEP(...)
#undef __global__
#define __global__ inline  // a kernel is known here by its symbol

#include COURSE_MAIN

namespace {

/// Kernels of several variants' own tilings.
const std::map<std::string, std::string> called_otherwise = {{"warp_tiles", "async_copies"},
                                                             {"serpentine", "tiled"},
                                                             {"large_tiles", "tiled"},
                                                             {"slices", "tiled"},
                                                             {"best", "tiled"}};

/// The kernel that the variant starts for a small product, "shared<float, 8>".
template <class T>
std::string started_by(course::Variant<T>& variant, course::Index pad, const course::Settings& settings) {
  course::emulator::set_order("forward");
  const course::Problem<T> problem{.shape = {12, 20, 16}, .pad = pad};
  variant.allocate(problem, settings), variant.distribute(), variant.reset(), variant.run();
  variant.release();
  Dl_info found{};
  REQUIRE(dladdr(reinterpret_cast<void*>(course::launched.kernel), &found) != 0);
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, nullptr), std::free);
  const std::string name = demangled.get();  // void step::shared<float, 8>(course::View<…
  return name.substr(name.find("::") + 2, name.find('(') - name.find("::") - 2);
}

template <class T>
void check_wiring(const course::Settings& settings) {
  std::set<std::string> kernels;
  bool by_vectors = false;  // from 09's vectorised on, where rows begin at 16 bytes
  for (const auto& variant : variants<T>()) {
    if (variant->info.broken) continue;
    const std::string name = variant->info.name;
    CAPTURE(name);
    const course::emulator::Taken before = course::emulator::taken;
    const std::string kernel = started_by(*variant, 0, settings);
    const course::emulator::Taken& now =
        course::emulator::taken;  // pinned is the host's, beside the device's
    const std::string memory = now.pinned > before.pinned     ? "_pinned"
                               : now.unified > before.unified ? "_unified"
                               : now.pitched > before.pitched ? "_pitched"
                                                              : "";
    CAPTURE(kernel);
    const std::string function = kernel.substr(0, kernel.find('<'));
    if (const auto other = called_otherwise.find(name); other != called_otherwise.end())
      CHECK(function == other->second);
    else if (!name.starts_with("column_"))
      CHECK(function + memory == name);
    else
      CHECK(kernel.ends_with(", " + name.substr(7) + ">"));
    if (variant->info.tiles) CHECK(kernel.ends_with(", " + std::to_string(settings.tile) + ">"));
    CHECK(kernels.insert(kernel + memory).second);
    by_vectors |= name == "vectorised";
    CHECK((started_by(*variant, 1, settings) != kernel) == by_vectors);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("each variant starts the kernel that its name says, in the memory that it says", T, float,
                   double) {
  for (const int tile : {2, 4, 8, 16, 32}) check_wiring<T>({.tile = tile, .block = {4, 2}});
}

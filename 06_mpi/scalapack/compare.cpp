// Summa in turns with ScaLAPACK's p?gemm, or with other versions of itself, on the same grid and blocks. On
// one rank summa and p?gemm each meet the kernel that they multiply with, too. A program like any step's,
// with the option --against.
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "pgemm.hpp"
#include "runner/cpu.hpp"
#include "runner/mpi_world.hpp"
#include "runner/run.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"
#include "runner/turns.hpp"

namespace {

using namespace mpi;

constexpr const char *pgemm = "p?gemm",
                     *idle = "idle";  // leaves C as it was: for tests, and --help does not name it
/// Other versions of summa that it may be compared with.
template <class T>
const std::map<std::string, typename Summa<T>::Kernel> other_summas = {{"summa_blocking", summa_blocking<T>},
                                                                       {"summa_unaided", summa_unaided<T>},
                                                                       {"summa_ring", summa_ring<T>}};

template <class T>
std::shared_ptr<course::Variant<T>> variant_called(const std::string& name) {
  if (name == pgemm) return on_ranks<Scalapack<T>>(name, "");
  if (name == idle)
    return on_ranks<Summa<T>>(name, "", [](const Panels<T>&, const Grid&, Multiply<T>, int) {});
  return on_ranks<Summa<T>>(name, "", other_summas<T>.at(name));
}

/// One product a sample: so all ranks make the same.
template <class T>
std::shared_ptr<course::Variant<T>> in_turns(const std::shared_ptr<course::Variant<T>>& first,
                                             const std::string& against,
                                             const std::shared_ptr<course::Variant<T>>& second) {
  course::VariantInfo info = first->info;
  info.idea = "in turns with " + against, info.against = against, info.copies = 2;
  return std::make_shared<course::InTurns<T>>(info, course::Variants<T>{first, second}, course::Timing{});
}

template <class T>
course::Variants<T> variants(const std::vector<std::string>& against, int ranks) {
  using course::KernelArgs, course::cpu;
  const auto summa_here = on_ranks<Summa<T>>("summa", "", summa<T>);
  course::Variants<T> list;
  for (const std::string& name : against)
    list.push_back(in_turns<T>(summa_here, name, variant_called<T>(name)));
  if (ranks > 1) return list;
  list.push_back(in_turns<T>(summa_here, "05_avx2", cpu<T>("", "", [](const KernelArgs<T>& x) {
                               avx2::best<T>(x.a, x.b, x.c, x.threads);
                             })));
  list.push_back(in_turns<T>(variant_called<T>(pgemm), "BLAS", cpu<T>("", "", [](const KernelArgs<T>& x) {
                               blas<T>(x.a, x.b, x.c, x.threads);
                             })));
  return list;
}

int run(int argc, char** argv, const course::World& world) {
  std::vector<const char*> words(argv, argv + argc);
  std::vector<std::string> known = {pgemm};
  for (const auto& [name, kernel] : other_summas<float>) known.push_back(name);
  const std::vector<std::string> against = course::split(course::taken(words, "--against", pgemm));
  for (const std::string& name : against)
    if (name != idle) course::one_of("--against", name, known);
  course::Step step;
  step.program = COURSE_PROGRAM, step.flags = COURSE_FLAGS;
  step.idea = "summa in turns with others; besides the options below --against, of " +
              course::joined(known, ",") + " (default p?gemm)";
  step.options = " --against " + course::joined(against, ",");
  step.f32 = variants<float>(against, world.size()), step.f64 = variants<double>(against, world.size());
  step.grids = {squarest(world.size())}, step.blocks = {{256, 256}};
  return course::run(static_cast<int>(words.size()), words.data(), step, world);
}

/// OpenBLAS chooses its kernel while it is loaded, and badly on processors newer than itself.
void choose_blas(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE")) return;
  const bool wide = std::string(avx2::best_vector()) == "avx512";
  setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  choose_blas(argv);
  const course::MpiWorld world(&argc, &argv);
  course::prepare_streams();
  try {
    return run(argc, argv, world);
  } catch (...) {
    return course::status_of_exception(COURSE_PROGRAM, world);
  }
}

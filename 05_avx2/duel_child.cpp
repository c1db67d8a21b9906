// The process in which ours and one rival multiply the same matrices.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "child.hpp"
#include "duel.hpp"
#include "gemm.hpp"
#include "inputs.hpp"
#include "runner/machine.hpp"
#include "runner/table.hpp"
#include "runner/text.hpp"

namespace duel {
namespace {

using course::View;

template <class T>
void multiply(const std::string& variant, int threads, View<const T> a, View<const T> b, View<T> c) {
  const avx2::Caches caches = avx2::caches_here(threads);
  variant == "avx512" ? avx2::avx512<T>(a, b, c, caches, threads) : avx2::packed<T>(a, b, c, caches, threads);
}

struct Meeting {
  const machine::Library& library;
  course::Shape shape;
  int threads;
  Rules rules;
  std::vector<std::string> jobs;  // VARIANT:TYPE
};

std::string text(double value) {
  char out[40];
  std::snprintf(out, sizeof out, "%.6g", value);
  return out;
}

/// All of one type.
template <class T>
void meet(const Meeting& meeting, const std::string& type) {
  std::vector<std::string> variants;
  for (const std::string& job : meeting.jobs)
    if (job.ends_with(":" + type)) variants.push_back(job.substr(0, job.find(':')));
  const machine::Library& library = meeting.library;
  if (variants.empty() || !library.has<T>()) return;
  machine::tell({"type", type});
  const course::Shape& shape = meeting.shape;
  const course::Problem<T> problem{shape};
  const course::Inputs<T>& inputs = problem.whole();
  course::Verifier<T> verifier(problem, false);
  const auto wrong = [&](const std::string& who, const auto& product) {
    std::string what = machine::trouble<T>(product);
    if (what.empty()) what = machine::trouble(problem, verifier, product);
    if (!what.empty()) machine::tell({"wrong", who, what});
    return !what.empty();
  };
  const auto rival = [&](View<const T> a, View<const T> b, View<T> c) { library.gemm<T>(a, b, c); };
  if (wrong("", rival)) return;
  course::Matrix<T> our_c(shape.m, shape.n), their_c(shape.m, shape.n);
  const auto reset = [&] {
    course::copy<T>(inputs.c.view(), our_c.view()), course::copy<T>(inputs.c.view(), their_c.view());
  };
  for (const std::string& variant : variants) {
    const auto ours = [&](View<const T> a, View<const T> b, View<T> c) {
      multiply<T>(variant, meeting.threads, a, b, c);
    };
    if (wrong(variant, ours)) continue;
    reset();
    const auto pairs =
        alternate([&] { ours(inputs.a.view(), inputs.b.view(), our_c.view()); },
                  [&] { rival(inputs.a.view(), inputs.b.view(), their_c.view()); }, reset, meeting.rules);
    const Verdict verdict = judge(pairs);
    machine::tell({"row", variant, type, std::to_string(pairs.size()), text(verdict.ratio), text(verdict.low),
                   text(verdict.high), text(shape.flops() / verdict.ours * 1e-9),
                   text(shape.flops() / verdict.theirs * 1e-9)});
  }
}

}  // namespace

int run_child(int argc, const char* const* argv) {
  if (argc < 9) return 2;
  return machine::serve([&] {
    const machine::Library library = machine::load({argv[2], "", "", argv[2], false, {}});
    Meeting meeting{library, {}, std::atoi(argv[4]), {}, course::split(argv[8])};
    meeting.rules.unheeded = std::atof(argv[3]);
    meeting.rules.pairs = std::atoi(argv[5]), meeting.rules.budget = std::atof(argv[6]);
    std::sscanf(argv[7], "%ldx%ldx%ld", &meeting.shape.m, &meeting.shape.n, &meeting.shape.k);
    machine::tell_about(library);
    if (const int cpus = course::usable_cpus(); cpus < meeting.threads)
      throw course::Refusal{course::threads_text(meeting.threads) + " would meet on " + std::to_string(cpus) +
                            " cores"};
    meet<float>(meeting, "f32");
    meet<double>(meeting, "f64");
  });
}

}  // namespace duel

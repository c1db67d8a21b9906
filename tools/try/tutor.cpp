// What `make try` reads of each row: a line of JSON as it begins, and one as it ends, which adds to the
// first.
#include <sys/mman.h>

#include <cstdio>
#include <fstream>

#include "runner/cpu.hpp"
#include "runner/session.hpp"
#include "tools/try/diagnose.hpp"

extern "C" {  // the address sanitizer's, where it watches
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* from, std::size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* from, std::size_t bytes);
}

namespace course {
namespace {

/// A text as JSON has it.
std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      (made += '\\') += c;
    else
      made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return made + '"';
}

/// Which rank makes an element of C: whole rows shared out evenly, or blocks dealt out on a grid.
Owner owner_of(const Record& r) {
  if (r.ranks == 1) return {};
  return
      [ranks = r.ranks, m = r.shape.m, grid = r.settings.grid, block = r.settings.block](Index i, Index j) {
        if (grid.x > 0) return static_cast<int>(i / block.x % grid.x * grid.y + j / block.y % grid.y);
        int rank = 0;
        while (m * (rank + 1) / ranks <= i) ++rank;
        return rank;
      };
}

/// The rows' distance in a matrix whose element (4, 0) is beyond 2^32.
constexpr Index far = (Index{1} << 30) + 64;
constexpr Index side = 5;

/// The kernel's C from matrices whose rows lie that far apart: few pages, but addresses for 20 GiB; or
/// nothing, where they cannot be had.
template <class T>
std::optional<Matrix<T>> of_far_rows(const CpuVariant<T>& variant, const Problem<T>& problem) {
  const std::size_t bytes = side * far * sizeof(T);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return {};
  const auto matrix = [&](Index place) {
    return View<T>(static_cast<T*>(memory) + 8 * place, side, side, far);
  };
  const View<T> a = matrix(0), b = matrix(1), c = matrix(2), bt = matrix(3);
  fill_matrix(a, problem.fill, problem.seed, 'A'), fill_matrix(b, problem.fill, problem.seed, 'B');
  fill_matrix(c, problem.fill, problem.seed, 'C');
  variant.call(a, b, c, bt);
  Matrix<T> computed(side, side);
  copy<T>(c, computed.view());
  munmap(memory, bytes);
  return computed;
}

template <class T>
class Writer : public Tutor<T> {
 public:
  Writer() { Tutor<T>::present = this; }

  /// What lies round C is poisoned: a write there by a pointer is stopped, too.
  void begins(Session& session, Variant<T>& variant, const Record& r) override {
    say(stdout, "\x1e"), std::fflush(stdout);  // parts what the kernels print
    begins(session, shape_text(r.shape), r.ranks);
    if constexpr (std::is_same_v<T, Result<T>>)
      if (dynamic_cast<CpuVariant<T>*>(&variant) != nullptr) c_ = variant.result();
    guard(__asan_poison_memory_region);
  }
  void ran(Variant<T>&) override { guard(__asan_unpoison_memory_region), c_ = {}; }

  void wrong(const Problem<T>& problem, View<const Result<T>> c, const Record& r) override {
    diagnosis_ = diagnose(problem, c, owner_of(r));
  }

  void ends(Session& session, Variant<T>& variant, const Record& r, const std::string& seen) override {
    ends(session, r.verdict, r.check.value_or(Check()), seen, r.times);
    if constexpr (std::is_same_v<T, float>)
      if (r.verdict == "right" && __asan_poison_memory_region != nullptr && !std::exchange(went_far_, true))
        goes_far(session, variant);
  }

 private:
  /// A row whose i·ld is more than an int holds.
  void goes_far(Session& session, Variant<T>& variant) {
    const auto* cpu = dynamic_cast<CpuVariant<T>*>(&variant);
    if (cpu == nullptr || dynamic_cast<VectorsVariant<T>*>(&variant) != nullptr) return;
    const Problem<T> problem{.shape = {side, side, side}};
    begins(session, fmt::format("5x5x5 with ld = {}", far), 1);
    const auto c = of_far_rows(*cpu, problem);
    const bool right = !c || Verifier<T>(problem, true).check(c->view()).right;
    ends(session, right ? "right" : "wrong", {.message = "C is wrong."}, "", {});
    if (!right) session.refused.status = 1;
  }

  void begins(Session& session, const std::string& shape, int ranks) {
    write(session,
          fmt::format(R"({{"type": "{}", "shape": "{}", "ranks": {}}})", type_name<T>, shape, ranks));
  }
  void ends(Session& session, const std::string& verdict, const Check& check, const std::string& seen,
            const Times& times) {
    const Diagnosis found = std::exchange(diagnosis_, {});
    std::string counts;
    if (times.accesses)
      counts = fmt::format("{}, {}, {}, {}", *times.accesses, *times.sectors, *times.shared_accesses,
                           *times.wavefronts);
    write(session,
          fmt::format(
              R"({{"verdict": "{}", "error": "{}", "message": {}, "seen": "{}", "element": {}, "where": {}, )"
              R"("fault": {}, "unwritten": {}, "counts": [{}]}})",
              verdict, check.relative_error, quoted(check.message), seen, quoted(found.element),
              quoted(found.where), quoted(found.fault), found.unwritten, counts));
  }
  static void write(const Session& session, const std::string& line) {
    std::ofstream(session.options.explain, std::ios::app) << line << '\n';
  }

  void guard(void (*change)(const volatile void*, std::size_t)) const {
    if (change == nullptr || c_.data() == nullptr) return;
    const auto part = [change](const Result<T>* from, Index count) {
      change(from, static_cast<std::size_t>(count) * sizeof(Result<T>));
    };
    const Index band = 256 / sizeof(Result<T>), rows = c_.rows(), ld = c_.ld();
    part(c_.data() - band, band), part(c_.data() + rows * ld, band + ld);
    for (Index i = 0; i < rows; ++i) part(c_.data() + i * ld + c_.cols(), ld - c_.cols());
  }

  View<const Result<T>> c_;  // while it is guarded
  Diagnosis diagnosis_;
  bool went_far_ = false;
};

Writer<bf16> of_bf16;
Writer<tf32> of_tf32;
Writer<float> of_f32;
Writer<double> of_f64;
Writer<std::int32_t> of_i32;

}  // namespace
}  // namespace course

// What one run of a program shares between its rows.
#pragma once

#include <optional>
#include <set>

#include "common/verify.hpp"
#include "runner/machine.hpp"
#include "runner/options.hpp"
#include "runner/record.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"
#include "runner/world.hpp"

namespace course {

template <class T>
constexpr const char* type_name = std::is_same_v<T, bf16>     ? "bf16"
                                  : std::is_same_v<T, tf32>   ? "tf32"
                                  : std::is_same_v<T, float>  ? "f32"
                                  : std::is_same_v<T, double> ? "f64"
                                                              : "i32";

struct Session {
  const Options& options;
  const Step& step;
  const World& world;
  Refused& refused;
  Table table{Record().columns()};         // rank 0's alone
  std::optional<MachineModel> roofs = {};  // of machine.csv, if there is one
  int rows = 0, row = 0;                   // how many there will be; how many have begun
  int measured = 0, skipped = 0;
  std::set<std::string> warned = {};

  ~Session() { progress(""); }

  /// Overwrites the line of progress, of the row with this number, on a terminal only; an empty text clears
  /// it.
  void progress(const std::string& what, int number = 0) const;
  /// A line on stderr, unless the same was printed before.
  void warn_once(const std::string& line);
};

/// A problem with the verifier of all its variants' results.
template <class T>
struct CheckedProblem {
  Problem<T> problem;
  std::optional<Verifier<T>> verifier = {};
};

/// The rows of a variant that differ in their shape only.
template <class T>
struct Series {
  Variant<T>& variant;
  Settings settings;
  double rate = 0;  // operations a second, of the last row that tells; 0: of none yet
};

/// Some rows of a shape: run, several in turns, verify, print, record.
template <class T>
void run_rows(Session& session, CheckedProblem<T>& checked, const std::vector<Series<T>*>& in_turns);

/// Why a variant cannot run here, for want of a processor's features or by its own word; else empty.
template <class T>
std::string refusal_of(const Variant<T>& variant, const Problem<T>& problem, const Settings& settings) {
  const std::string missing = lacking(variant.info.needs);
  return missing.empty() ? variant.refuses(problem, settings) : "this processor lacks " + missing;
}

/// Each phase as the slowest rank had it.
Times slowest(const World& world, Times times);

/// The text of the exception being handled.
std::string exception_text();
inline const std::string no_memory = "out of memory; give a smaller size";

/// Whether every element of C is compared: --verify full, or auto up to 2048.
inline bool verifies_whole(const Options& options, const Shape& s) {
  return options.verify == "full" || (options.verify == "auto" && std::max({s.m, s.n, s.k}) <= 2048);
}

/// Bytes that a row takes of this rank: A, B and C twice, for a variant has copies or a workspace. Rank 0 has
/// besides what it verifies: C and the verifier's numbers, which are twice as wide. Where matrices are not
/// `distributed` out, rank 0 has them whole, and each rank may have a whole B.
template <class T>
double bytes_of_row(const Shape& shape, bool distributed, bool verified_whole, const World& world) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k), panel = std::min(k, 256.);
  const double b = sizeof(T) * k * n, c = sizeof(Result<T>) * m * n, twice = 2 * (sizeof(T) * m * k + b + c);
  const double share = twice / world.size() + (distributed ? 0 : b);
  if (!world.is_root()) return share;
  const double compared = (verified_whole ? m * n : 0) + (panel + 16) * (m + n);
  return (distributed && world.size() > 1 ? share + c : twice) + 2 * sizeof(Result<T>) * compared;
}

}  // namespace course

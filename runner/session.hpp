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
  int measured = 0, skipped = 0;
  std::set<std::string> warned = {};

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

/// Why a variant cannot run here: the processor lacks a feature, or the variant refuses; else empty.
template <class T>
std::string refusal_of(const Variant<T>& variant, const Problem<T>& problem, const Settings& settings) {
  const std::string missing = lacking(variant.info.needs);
  return missing.empty() ? variant.refuses(problem, settings) : "this processor lacks " + missing;
}

/// The text of the exception being handled.
std::string exception_text();
inline const std::string no_memory = "out of memory; give a smaller size";

/// Whether every element of C is compared: --verify full, or auto up to 2048.
inline bool verifies_whole(const Options& options, const Shape& s) {
  return options.verify == "full" || (options.verify == "auto" && std::max({s.m, s.n, s.k}) <= 2048);
}

}  // namespace course

// What one invocation of a program shares between its rows.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "common/verify.hpp"
#include "runner/machine.hpp"
#include "runner/options.hpp"
#include "runner/record.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"

namespace course {

struct Session {
  const Options& options;
  const Step& step;
  const World& world;
  Table table{Record().columns()};  // rank 0's alone
  std::optional<Roofs> roofs = {};  // of machine.csv, if there is one
  int rows = 0, row = 0;            // how many there will be; which one this is
  int measured = 0, skipped = 0, wrong = 0, not_wrong = 0, resumed = 0, disturbed = 0;
  std::map<std::string, double> rates = {};  // operations a second, by type, variant and settings
  std::set<std::string> said = {};

  bool speaks() const { return world.rank() == 0; }
  /// A line that overwrites itself, on a terminal only; an empty one clears it.
  void progress(const std::string& what) const;
  void say_once(const std::string& line);
  /// Calls `body`, in which ranks wait for one another. What it throws is returned; with several ranks it
  /// ends the program instead. Refusals and running out of memory are thrown on.
  std::string attempt(const std::function<void()>& body) const;
};

/// A problem, and the checker of all its variants' pieces.
template <class T>
struct Work {
  Problem<T> problem;
  std::optional<Verifier<T>> verifier = {};
};

/// One row: run, verify, print, record.
template <class T>
void run_row(Session& session, Variant<T>& variant, Work<T>& work, const Settings& settings);

/// Calls `body` on rank 0; what it refuses, all ranks throw.
void on_root(const World& world, const std::function<void()>& body);
/// Each phase as the slowest rank had it.
Times slowest(const World& world, Times times);
/// What the exception at hand says.
std::string caught();
inline const std::string no_memory = "out of memory; give a smaller size";
/// Whether --verify asks for every element of C.
bool verifies_whole(const Options& options, const Shape& shape);

/// Why a variant cannot run here; or nothing.
template <class T>
std::string why_not(const Variant<T>& variant, const Problem<T>& problem, const Settings& settings,
                    const World& world) {
  const std::string missing = lacking(variant.traits.needs);
  return missing.empty() ? variant.refuses(problem, settings, world) : "this processor lacks " + missing;
}

template <class T>
constexpr const char* type_name = std::is_same_v<T, float>    ? "f32"
                                  : std::is_same_v<T, double> ? "f64"
                                                              : "i32";

}  // namespace course

// Two that multiply, in turns: rows of rivals.csv.
#pragma once

#include <memory>
#include <string>

#include "common/variant.hpp"
#include "runner/options.hpp"

namespace rivals {

/// One of two: its name in the rows, and its variants; nullptr where it does not multiply a type.
struct Side {
  std::string name;
  std::shared_ptr<course::Variant<float>> f32;
  std::shared_ptr<course::Variant<double>> f64;
  std::shared_ptr<course::Variant<std::int32_t>> i32;
};

/// What duels are given.
struct Asked {
  course::Options options;
  double unheeded{};
  std::string pairs_csv;

  /// Throws course::Refusal; false after --help.
  bool parse(int argc, const char* const* argv);
};

/// Verifies both, then lets them alternate, shape by shape and type by type. Returns the exit status.
int run_duels(const Side& ours, const Side& theirs, const Asked& asked);

}  // namespace rivals

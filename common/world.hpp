// The processes ("ranks") that run one program together.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>

namespace course {

/// This one is a single process: each answer is what it put in itself. MpiWorld and the tests' Crew override.
/// All ranks call every member but rank, size and abort, in the same order, and wait there for one another.
class World {
 public:
  virtual ~World() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  /// Replaces each element by its sum over the ranks; words wrap round at 2^64.
  virtual void sum(std::span<std::uint64_t>) const {}
  virtual void sum(std::span<double>) const {}
  /// Replaces each element by the largest of any rank; NaN is larger than all.
  virtual void max(std::span<double>) const {}
  /// The text of the lowest rank whose text is not empty, known to all; empty if there is none.
  virtual std::string first(const std::string& mine) const { return mine; }
  /// What rank 0 put in.
  virtual std::uint64_t root(std::uint64_t mine) const { return mine; }
  /// The sum over the ranks that share this one's memory.
  virtual double on_this_host(double mine) const { return mine; }

  /// For a rank that cannot go on while others may wait for it: `line` to stderr, and all of them end with
  /// status 1. Alone nobody calls it.
  [[noreturn]] virtual void abort(const std::string&) const { std::terminate(); }
};

}  // namespace course

// The processes ("ranks") that run one program together.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>

namespace course {

/// A single process: each answer is what it put in. MpiWorld overrides all. Every member but rank, size and
/// abort is collective: all ranks call it in the same order and wait for one another.
class World {
 public:
  virtual ~World() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  /// Replaces each element by its sum over the ranks; integers modulo 2^64.
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

  /// Ends all ranks with status 1, `line` on stderr: for one that fails while others may wait for it.
  [[noreturn]] virtual void abort(const std::string&) const { std::terminate(); }
};

}  // namespace course

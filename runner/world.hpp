// The processes ("ranks") that run one program together.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>

namespace course {

/// A single process: each answer is what it put in. MpiWorld overrides all. max, sum, broadcast and
/// on_this_host are collective: all ranks call them in the same order and wait for one another.
class World {
 public:
  virtual ~World() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  bool is_root() const { return rank() == 0; }

  /// Replaces each element by the largest of any rank; none is NaN.
  virtual void max(std::span<double>) const {}
  virtual double sum(double mine) const { return mine; }
  /// What rank 0 put in: it decides for all.
  virtual std::int64_t broadcast(std::int64_t mine) const { return mine; }
  /// The sum over the ranks that share this one's memory.
  virtual double on_this_host(double mine) const { return mine; }

  /// Ends all ranks, `line` on stderr: for one that fails while others may wait for it.
  [[noreturn]] virtual void abort(const std::string&, int) const { std::terminate(); }
};

}  // namespace course

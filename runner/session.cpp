#include "runner/session.hpp"

#include <unistd.h>

namespace course {

Times slowest(const World& world, Times times) {
  if (world.size() == 1) return times;
  double sum = times.product.value_or(0);
  world.sum({&sum, 1});
  for (const auto field : Times::fields()) {
    double most = (times.*field).value_or(-1);
    world.max({&most, 1});
    if (most >= 0) times.*field = most;
  }
  if (sum > 0) times.imbalance = *times.product * world.size() / sum;
  return times;
}

std::string exception_text() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (const std::exception& error) {
    return std::string("it threw: ") + error.what();
  } catch (...) {
    return "it threw";
  }
}

void Session::progress(const std::string& what) const {
  if (!is_root() || !isatty(STDERR_FILENO)) return;
  fmt::print(stderr, "\r\033[K");
  if (!what.empty()) fmt::print(stderr, "[{}/{}] {} {}", row, rows, step.program, what);
}

void Session::warn_once(const std::string& line) {
  if (!warned.insert(line).second || !is_root()) return;
  progress("");
  fmt::print(stderr, "{}: {}\n", step.program, line);
}

void on_root(const World& world, const std::function<void()>& body) {
  std::string refusal;
  try {
    if (world.rank() == 0) body();
  } catch (const Refusal& refused) {
    refusal = refused.message;
  }
  if (refusal = world.first(refusal); !refusal.empty()) throw Refusal{refusal};
}

bool verifies_whole(const Options& options, const Shape& s) {
  return options.verify == Verify::full ||
         (options.verify == Verify::automatic && std::max({s.m, s.n, s.k}) <= 2048);
}

}  // namespace course

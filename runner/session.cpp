#include "runner/session.hpp"

#include <unistd.h>

namespace course {

Times slowest(const World& world, Times times) {
  if (world.size() == 1) return times;
  double sum = times.product.value_or(0);
  world.sum({&sum, 1});
  for (const auto part : Times::parts()) {
    double most = (times.*part).value_or(-1);
    world.max({&most, 1});
    if (most >= 0) times.*part = most;
  }
  if (sum > 0) times.imbalance = *times.product * world.size() / sum;
  return times;
}

std::string caught() {
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
  if (!speaks() || !isatty(STDERR_FILENO)) return;
  fmt::print(stderr, "\r\033[K");
  if (!what.empty()) fmt::print(stderr, "[{}/{}] {} {}", row, rows, step.program, what);
}

void Session::say_once(const std::string& line) {
  if (!said.insert(line).second || !speaks()) return;
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

std::string Session::attempt(const std::function<void()>& body) const {
  try {
    body();
    return {};
  } catch (const Refusal&) {
    throw;  // of all ranks
  } catch (...) {
    const std::string why = caught();
    if (world.size() > 1) world.abort(fmt::format("{}: rank {}: {}", step.program, world.rank(), why));
    if (why == no_memory) throw;
    return why;
  }
}

bool verifies_whole(const Options& options, const Shape& s) {
  constexpr Index whole_up_to = 2048;  // --verify auto
  return options.verify == Verify::full || std::max({s.m, s.n, s.k}) <= whole_up_to;
}

}  // namespace course

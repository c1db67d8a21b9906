#include "runner/session.hpp"

#include <unistd.h>

namespace course {

Times slowest(const World& world, Times times) {
  if (world.size() == 1) return times;
  constexpr auto fields = Times::fields();
  std::array<double, fields.size()> most;
  for (std::size_t f = 0; f < fields.size(); ++f) most[f] = (times.*fields[f]).value_or(-1);
  const double sum = world.sum(times.product.value_or(0));
  world.max(most);
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (most[f] >= 0) times.*fields[f] = most[f];
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
  if (!world.is_root() || !isatty(STDERR_FILENO)) return;
  say(stderr, "\r\033[K");
  if (!what.empty()) say(stderr, "[{}/{}] {} {}", row, rows, step.program, what);
}

void Session::warn_once(const std::string& line) {
  if (!warned.insert(line).second || !world.is_root()) return;
  progress("");
  say(stderr, "{}: {}\n", step.program, line);
}

bool verifies_whole(const Options& options, const Shape& s) {
  return options.verify == Verify::full ||
         (options.verify == Verify::automatic && std::max({s.m, s.n, s.k}) <= 2048);
}

}  // namespace course

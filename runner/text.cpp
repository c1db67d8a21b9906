#include "runner/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace course {

std::string shape_text(const Shape& s) {
  return fmt::format("{}x{}x{}", s.m, s.n, s.k);
}

std::string readable_seconds(double s) {
  return s < 1e-3 ? fmt::format("{:.4g} us", s * 1e6)
         : s < 1  ? fmt::format("{:.4g} ms", s * 1e3)
                  : fmt::format("{:.4g} s", s);
}

std::string readable_bytes(double bytes) {
  static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) bytes /= 1024, ++unit;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string one_of(const std::string& option, const std::string& given, const std::vector<std::string>& known,
                   const std::string& what) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  throw Refusal{fmt::format("{}: '{}' is unknown; {} {}", option, given, what, listed(known))};
}

void print_choice(const std::string& name, const std::string& idea, const std::string& why_not) {
  fmt::print("  {:<16} {}{}{}\n", name, idea, why_not.empty() ? "" : "; not here: ", why_not);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace course

// How things are said: refusals, shapes, times, bytes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/problem.hpp"

namespace course {

/// Something of the user's cannot be served: its text goes to stderr as one line, the exit status is 2. With
/// several ranks all of them throw the same.
struct Refusal {
  std::string message;
};

inline std::string shape_text(const Shape& s) {
  return fmt::format("{}x{}x{}", s.m, s.n, s.k);
}

inline std::string readable_seconds(double s) {
  if (s < 1e-3) return fmt::format("{:.4g} us", s * 1e6);
  return s < 1 ? fmt::format("{:.4g} ms", s * 1e3) : fmt::format("{:.4g} s", s);
}

inline std::string readable_bytes(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

inline std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

inline std::string listed(const std::vector<std::string>& words, const char* separator = ", ") {
  return fmt::format("{}", fmt::join(words, separator));
}

inline bool among(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// `given` if it is one of the known names, else a Refusal: "OPTION: 'given' is unknown; WHAT known, names".
inline std::string one_of(const std::string& option, const std::string& given,
                          const std::vector<std::string>& known, const char* what = "give") {
  if (among(known, given)) return given;
  throw Refusal{fmt::format("{}: '{}' is unknown; {} {}", option, given, what, listed(known))};
}

/// One line of --list.
inline void print_choice(const std::string& name, const std::string& idea, const std::string& why_not) {
  fmt::print("  {:<16} {}{}{}\n", name, idea, why_not.empty() ? "" : "; not here: ", why_not);
}

/// The middle value; the mean of the two middle ones of an even number. `values` is not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace course

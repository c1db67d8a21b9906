// Text for the user: refusals, shapes, times, bytes, lists.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/problem.hpp"

namespace course {

/// What the user asked for cannot be served: one line on stderr, exit status 2. All ranks throw the same.
struct Refusal {
  std::string message;
};

/// As fmt::print, but throws nothing where nothing can be written: run looks at standard output once.
template <class... Items>
void say(std::FILE* file, fmt::format_string<Items...> format, Items&&... items) {
  std::fputs(fmt::format(format, std::forward<Items>(items)...).c_str(), file);
}

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

inline std::string joined(const std::vector<std::string>& items, const char* separator = ", ") {
  return fmt::format("{}", fmt::join(items, separator));
}

template <class Items, class Item>
bool contains(const Items& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// The text of each item.
template <class Items, class TextOf>
std::vector<std::string> texts(const Items& items, TextOf text_of) {
  std::vector<std::string> all;
  for (const auto& item : items) all.push_back(text_of(item));
  return all;
}

/// `given` if it is one of the known names, else a Refusal: "OPTION: 'given' is unknown; WHAT known, names".
inline std::string one_of(const std::string& option, const std::string& given,
                          const std::vector<std::string>& known, const char* what = "give") {
  if (contains(known, given)) return given;
  throw Refusal{fmt::format("{}: '{}' is unknown; {} {}", option, given, what, joined(known))};
}

/// Takes an option of the program's own and its value out of a command line; `otherwise` if it is not there.
inline std::string taken(std::vector<const char*>& words, const std::string& option,
                         const std::string& otherwise = "") {
  for (auto word = words.begin(); word != words.end(); ++word)
    if (const std::string text = *word; text.starts_with(option + "="))
      return words.erase(word), text.substr(option.size() + 1);
  const auto at = std::find(words.begin(), words.end(), option);
  if (at == words.end()) return otherwise;
  if (at + 1 == words.end()) throw Refusal{option + ": a value is missing"};
  const std::string value = at[1];
  words.erase(at, at + 2);
  return value;
}

/// One line of --list.
inline void print_choice(const std::string& name, const std::string& idea, const std::string& skip_reason) {
  say(stdout, "  {:<16} {}{}{}\n", name, idea, skip_reason.empty() ? "" : "; not here: ", skip_reason);
}

/// The value that a share of the values lies below, interpolated linearly. `values` is not empty.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1), below = std::floor(place);
  const auto at = static_cast<std::size_t>(below);
  return std::lerp(values[at], values[std::min(at + 1, values.size() - 1)], place - below);
}

}  // namespace course

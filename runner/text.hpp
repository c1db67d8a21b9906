// How things are said: refusals, shapes, times, bytes.
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "common/problem.hpp"

namespace course {

/// Something of the user's cannot be served: its text goes to stderr as one line, the exit status is 2. With
/// several ranks all of them throw the same.
struct Refusal {
  std::string message;
};

std::string shape_text(const Shape& shape);    // "256x256x256"
std::string readable_seconds(double seconds);  // "3.59 ms"
std::string readable_bytes(double bytes);      // "1.5 GiB"
std::string threads_text(int threads);         // "1 thread", "2 threads"

/// "a, b, c".
std::string listed(const std::vector<std::string>& words, const char* separator = ", ");

/// `given` if it is one of the known names, else a Refusal: "OPTION: 'given' is unknown; WHAT known, names".
std::string one_of(const std::string& option, const std::string& given, const std::vector<std::string>& known,
                   const std::string& what = "give");

/// One line of --list.
void print_choice(const std::string& name, const std::string& idea, const std::string& why_not);

/// The middle value; the mean of the two middle ones of an even number. `values` is not empty.
double median(std::vector<double> values);

}  // namespace course

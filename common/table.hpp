// From runs to a record, and from a record to a line on the terminal.
#pragma once

#include <string>
#include <vector>

#include "common/record.hpp"
#include "common/verify.hpp"

namespace course {

std::string shape_text(const Shape& shape);    // "256x256x256"
std::string readable_seconds(double seconds);  // "3.59 ms"
std::string threads_text(int threads);         // "1 thread", "2 threads"

/// The middle value; the mean of the two middle ones of an even number. `values` is not empty.
double median(std::vector<double> values);

/// Fills in the record's repeats, times, rate and phases; each phase by its own median. `runs` is not empty.
void summarise(Record& record, const std::vector<Seconds>& runs);

/// The two lines above a table.
void print_header(const Record& record);
void print_row(const Record& record, const Check& check);

}  // namespace course

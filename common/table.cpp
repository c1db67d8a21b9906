#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace course {

std::string shape_text(const Shape& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

std::string readable_seconds(double s) {
  const double scale = s < 1e-3 ? 1e6 : s < 1 ? 1e3 : 1;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", s * scale, s < 1e-3 ? "us" : s < 1 ? "ms" : "s");
  return text;
}

std::string threads_text(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void summarise(Record& record, const std::vector<Seconds>& runs) {
  std::vector<double> times;
  for (const Seconds& run : runs) times.push_back(run.product);
  const auto count = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / count;
  double squares = 0;
  for (const double t : times) squares += (t - mean) * (t - mean);
  record.repeat = static_cast<int>(times.size());
  record.best_s = *std::min_element(times.begin(), times.end());
  record.median_s = median(times);
  record.mean_s = mean;
  record.stddev_s = times.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  if (*record.median_s > 0 && record.shape.flops() > 0)
    record.gflops = record.shape.flops() / *record.median_s * 1e-9;
  for (const auto phase : {&Seconds::alloc, &Seconds::copy_in, &Seconds::copy_out, &Seconds::distribute,
                           &Seconds::collect, &Seconds::imbalance, &Seconds::words_received}) {
    std::vector<double> values;
    for (const Seconds& run : runs)
      if (run.*phase) values.push_back(*(run.*phase));
    if (!values.empty()) record.seconds.*phase = median(values);
  }
}

void print_header(const Record& r) {
  std::printf("%s on %s, %s %s\n", r.step.c_str(), r.device.c_str(), r.compiler.c_str(), r.flags.c_str());
  std::printf("%-16s %-4s %-17s %7s %5s %5s %11s %11s %-6s %9s %6s %9s %9s  %s\n", "variant", "type",
              "m x n x k", "threads", "tile", "runs", "median", "predicted", "by", "GFLOP/s", "peak", "error",
              "worst", "verdict");
}

void print_row(const Record& r, const Check& check) {
  // error: share of what is allowed; worst: share of the worst-case bound gamma_k |A||B| (notes of 01)
  const bool verified = r.verdict != "unverified";
  const auto number = [](bool shown, double value, const char* format) {
    char text[32] = "-";
    if (shown) std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::printf("%-16s %-4s %-17s %7d %5s %5d %11s %11s %-6s %9s %6s %9s %9s  %s\n", r.variant.c_str(),
              r.type.c_str(), shape_text(r.shape).c_str(), r.settings.threads,
              r.settings.tile > 0 ? std::to_string(r.settings.tile).c_str() : "-", r.repeat,
              readable_seconds(r.median_s.value_or(0)).c_str(),
              r.predicted_s ? readable_seconds(*r.predicted_s).c_str() : "-",
              r.limit.empty() ? "-" : r.limit.c_str(),
              number(r.gflops.has_value(), r.gflops.value_or(0), "%.3f").c_str(),
              number(r.peak_share.has_value(), 100 * r.peak_share.value_or(0), "%.3g%%").c_str(),
              number(verified, check.error_share, "%.3g").c_str(),
              number(verified, check.worst_case_share, "%.2g").c_str(), r.verdict.c_str());
  std::fflush(stdout);
}

}  // namespace course

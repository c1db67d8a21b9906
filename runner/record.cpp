#include "runner/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "runner/text.hpp"

namespace course {
namespace {

/// The text of a cell.
std::string text(std::optional<double> value) {
  return value ? fmt::format("{:.9g}", *value) : "";
}

constexpr const char* columns =
    "{:<16} {:<4} {:<17} {:>7} {:>{}} {:>5} {:>11} {:>11} {:<6} {:>9} {:>6} {:>9} {:>9}  {}\n";

/// The sides of the tile or block, with ranks also those of their grid.
std::string tile_or_block(const Record& r) {
  if (r.settings.tile > 0) return std::to_string(r.settings.tile);
  if (r.settings.block == Dim2()) return "-";
  return (r.ranks > 1 ? r.settings.grid.text() + " " : "") + r.settings.block.text();
}

/// Of a row in turns the median ratio and its quartiles; what it is beside.
std::string beside(const Record& r) {
  if (r.ratios.empty()) return r.against.empty() ? "" : " " + r.against;
  return fmt::format("  {:.3f} ({:.3f} to {:.3f}) x {}", quantile(r.ratios, 0.5), quantile(r.ratios, 0.25),
                     quantile(r.ratios, 0.75), r.against);
}

}  // namespace

Schema Record::columns() const {
  const Record& r = *this;
  const auto& predicted = r.prediction;
  const std::optional<Check> check = r.verdict == "unverified" ? std::nullopt : r.check;
  const auto bytes = [&](std::size_t level) {
    return predicted ? fmt::format("{:.6g}", predicted->bytes[level]) : "";
  };
  const auto ratio = [&r](double share) { return r.ratios.empty() ? "" : text(quantile(r.ratios, share)); };
  return {{"step", r.step},
          {"variant", r.variant},
          {"type", r.type},
          {"m", std::to_string(r.shape.m)},
          {"n", std::to_string(r.shape.n)},
          {"k", std::to_string(r.shape.k)},
          {"fill", r.fill},
          {"seed", std::to_string(r.seed)},
          {"threads", std::to_string(r.settings.threads)},
          {"ranks", std::to_string(r.ranks)},
          {"grid", r.settings.grid.text()},
          {"block", r.settings.block.text()},
          {"tile", r.settings.tile == 0 ? "" : std::to_string(r.settings.tile)},
          {"device_kind", r.device.kind},
          {"device", r.device.name},
          {"cores", r.device.cores == 0 ? "" : std::to_string(r.device.cores)},
          {"flags", r.flags},
          {"host", r.host},
          {"against", r.against},
          {"repeat", std::to_string(r.repeat)},
          {"best_s", text(r.best_s)},
          {"median_s", text(r.median_s)},
          {"mean_s", text(r.mean_s)},
          {"stddev_s", text(r.stddev_s)},
          {"turns_s", r.turns},
          {"alloc_s", text(r.times.alloc)},
          {"copy_in_s", text(r.times.copy_in)},
          {"copy_out_s", text(r.times.copy_out)},
          {"distribute_s", text(r.times.distribute)},
          {"collect_s", text(r.times.collect)},
          {"words_received", text(r.times.words_received)},
          {"page_faults", text(r.times.page_faults)},
          {"context_switches", text(r.times.context_switches)},
          {"accesses", text(r.times.accesses)},
          {"sectors", text(r.times.sectors)},
          {"shared_accesses", text(r.times.shared_accesses)},
          {"wavefronts", text(r.times.wavefronts)},
          {"gflops", text(r.gflops)},
          {"predicted_s", predicted ? text(predicted->seconds) : ""},
          {"limit", predicted ? predicted->limit : ""},
          {"bytes_l1", bytes(0)},
          {"bytes_l2", bytes(1)},
          {"bytes_l3", bytes(2)},
          {"bytes_memory", bytes(3)},
          {"verify", r.verify},
          {"error_share", check ? text(check->error_share) : ""},
          {"relative_error", check ? text(check->relative_error) : ""},
          {"differences", check ? std::to_string(check->differences) : ""},
          {"verdict", r.verdict},
          {"ratio", ratio(0.5)},
          {"ratio_low", ratio(0.25)},
          {"ratio_high", ratio(0.75)},
          {"ratio_min", ratio(0)},
          {"ratio_max", ratio(1)},
          {"mhz", text(r.times.mhz)},
          {"watts", text(r.times.watts)},
          {"against_gflops", r.times.against ? text(r.shape.flops() / *r.times.against * 1e-9) : ""},
          {"against_error_share", text(r.times.against_error)},
          {"against_mhz", text(r.times.against_mhz)},
          {"against_watts", text(r.times.against_watts)},
          {"compiler", r.compiler},
          {"commit", r.commit},
          {"started", r.started}};
}

void Record::summarise(const std::vector<Times>& runs) {
  const auto values = [&runs](auto field) {
    std::vector<double> found;
    for (const Times& run : runs)
      if (run.*field) found.push_back(*(run.*field));
    return found;
  };
  for (const auto field : Times::fields())
    if (const auto found = values(field); !found.empty()) times.*field = quantile(found, 0.5);
  ratios.clear();
  for (const Times& run : runs)
    if (run.against && *run.product > 0) ratios.push_back(*run.against / *run.product);
  const std::vector<double> product = values(&Times::product);
  if (product.empty()) return;
  const auto count = static_cast<double>(product.size());
  const double mean = std::accumulate(product.begin(), product.end(), 0.0) / count;
  double squares = 0;
  for (const double t : product) squares += (t - mean) * (t - mean);
  repeat = static_cast<int>(product.size());
  best_s = *std::min_element(product.begin(), product.end());
  median_s = quantile(product, 0.5), mean_s = mean;
  stddev_s = product.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  if (*median_s > 0 && shape.flops() > 0) gflops = shape.flops() / *median_s * 1e-9;
}

std::string Record::command_line(const VariantInfo& info, Index pad, const std::string& emulate) const {
  std::string line = ranks > 1 ? fmt::format("mpirun -n {} ", ranks) : "";
  const char* const quote = contains(variant, ' ') ? "'" : "";
  line += fmt::format("{} --variant {}{}{} --type {} --shape {} --fill {} --seed {} --repeat 1 --verify full",
                      step, quote, variant, quote, type, shape_text(shape), fill, seed);
  if (info.threads) line += fmt::format(" --threads {}", settings.threads);
  if (info.tiles) line += fmt::format(" --tile {}", settings.tile);
  if (info.grids) line += " --grid " + settings.grid.text();
  if (info.blocks) line += " --block " + settings.block.text();
  if (pad > 0) line += fmt::format(" --pad {}", pad);
  return emulate.empty() ? line : line + " --emulate " + emulate;
}

void print_header(const Record& r) {
  const std::string ranks = r.ranks > 1 ? fmt::format("{} ranks of ", r.ranks) : "";
  const char* const heading = r.ranks > 1 ? "grid, block" : r.settings.block == Dim2() ? "tile" : "block";
  say(stdout, "{} on {}{}, {} {}\n", r.step, ranks, r.device.text(), r.compiler, r.flags);
  say(stdout, fmt::runtime(columns), "variant", "type", "m x n x k", "threads", heading, r.ranks > 1 ? 13 : 5,
      "runs", "median", "predicted", "by", "GFLOP/s", "peak", "error", "worst", "verdict");
}

void print_row(const Record& r) {
  const auto number = [](const char* format, std::optional<double> number) {
    return number ? fmt::format(fmt::runtime(format), *number) : "-";
  };
  std::optional<double> error, worst, peak;
  if (r.check && r.verdict != "unverified") error = r.check->error_share, worst = r.check->worst_case_share;
  if (r.peak_share) peak = 100 * *r.peak_share;
  const std::string median = readable_seconds(r.median_s.value_or(0));
  const std::string predicted = r.prediction ? readable_seconds(r.prediction->seconds) : "-";
  // Nothing is faster than its roof: that was measured in a bad moment.
  const std::string share = peak > 100.5 ? ">100%?" : number("{:.3g}%", peak);
  // An emulator's seconds say nothing of a GPU.
  const std::string gflops = r.device.kind == "emulator" ? "-" : number("{:.3f}", r.gflops);
  say(stdout, fmt::runtime(columns), r.variant, r.type, shape_text(r.shape), r.settings.threads,
      tile_or_block(r), r.ranks > 1 ? 13 : 5, r.repeat, median, predicted,
      r.prediction ? r.prediction->limit : "-", gflops, share, number("{:.3g}", error),
      number("{:.2g}", worst), r.verdict + beside(r));
  std::fflush(stdout);
}

}  // namespace course

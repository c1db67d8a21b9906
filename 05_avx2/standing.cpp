#include "standing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/machine.hpp"
#include "common/table.hpp"

namespace duel {
namespace {

const std::string header =
    "type,m,n,k,threads,variant,rival,pairs,ratio,ratio_low,ratio_high,ours_gflops,rival_gflops,device,flags,"
    "compiler,host,commit,started";

/// Columns that tell one row from another.
std::string key_of(const std::vector<std::string>& cells) {
  std::string key;
  for (const std::size_t column : {0, 1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 17}) key += cells[column] + ",";
  return key;
}

std::string identity(const Row& row) {
  const auto& [m, n, k] = row.shape;
  return row.type + "," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + "," +
         std::to_string(row.threads) + "," + row.variant + "," + course::csv_text(row.rival) + ",";
}

double ratio(const Row& row) {
  return std::atof(row.numbers[1].c_str());
}

/// A library kept to AVX2.
bool narrow(const std::string& rival) {
  return rival.ends_with(" Haswell") || rival.ends_with(" haswell");
}

void print_standing(const std::string& title, const std::vector<const Row*>& rows) {
  // By shape: the library that did best beside ours. (Rates of duels minutes apart say nothing of one
  // another.)
  std::map<std::string, const Row*> best;
  for (const Row* const row : rows) {
    const Row*& most = best[course::shape_text(row->shape)];
    if (most == nullptr || ratio(*row) < ratio(*most)) most = row;
  }
  double sum = 0;
  long missed = 0;
  const Row* worst = best.begin()->second;
  for (const auto& [shape, row] : best) {
    sum += std::log(ratio(*row));
    missed += ratio(*row) < target;
    if (ratio(*row) < ratio(*worst)) worst = row;
  }
  std::printf("%s: geometric mean %.3f; worst %.3f, %s against %s; %ld of %zu cells below %.2f\n",
              title.c_str(), std::exp(sum / static_cast<double>(best.size())), ratio(*worst),
              course::shape_text(worst->shape).c_str(), worst->rival.c_str(), missed, best.size(), target);
}

}  // namespace

Standing::Standing(const std::string& path, bool resume, const std::string& flags)
    : provenance_(course::csv_text(course::processor()) + "," + course::csv_text(flags) + "," +
                  course::csv_text(course::compiler()) + "," + course::csv_text(course::host_name()) + "," +
                  course::csv_text(course::commit()) + ",") {
  if (path.empty()) return;
  file_.emplace(path, header);
  if (!resume) return;
  for (const auto& cells : file_->rows()) known_[key_of(cells)] = cells;
}

std::string Standing::key(const Row& row) const {
  return identity(row) + provenance_;
}

bool Standing::wants(Row row) {
  const auto found = known_.find(key(row));
  if (found == known_.end()) return true;
  std::copy_n(found->second.begin() + 7, 6, row.numbers);
  rows_.push_back(row);
  ++left_out;
  return false;
}

std::optional<std::string> Standing::met(const std::string& rung, const std::string& library) const {
  std::optional<std::string> found;
  for (const auto& [key, cells] : known_) {
    const std::string &variant = cells[5], &rival = cells[6];
    const bool ours = variant == rung || variant == rung + "_threads";
    if (!ours || !key.ends_with(provenance_) || (rival != library && !rival.starts_with(library + " ")))
      continue;
    if (!found || narrow(*found)) found = rival;  // one kept to AVX2 may be met besides
  }
  return found;
}

void Standing::add(const Row& row) {
  const auto& [pairs, ratio, low, high, ours, theirs] = row.numbers;
  const auto number = [](const std::string& text) { return std::atof(text.c_str()); };
  std::printf("  %-4s %-14s %-9s %-14s %6.3f (%.3f to %.3f) x %-20s %6.1f against %6.1f GFLOP/s, %s pairs\n",
              row.type.c_str(), course::shape_text(row.shape).c_str(),
              course::threads_text(row.threads).c_str(), row.variant.c_str(), number(ratio), number(low),
              number(high), row.rival.c_str(), number(ours), number(theirs), pairs.c_str());
  std::fflush(stdout);
  std::string line = identity(row);
  for (const std::string& cell : row.numbers) line += cell + ",";
  if (file_) file_->append(line + provenance_ + course::utc_now());
  rows_.push_back(row);
  ++added;
}

void Standing::print_summary() const {
  std::map<std::string, std::vector<const Row*>> all, avx2;  // by type, threads and variant
  for (const Row& row : rows_) {
    const std::string title = row.type + ", " + course::threads_text(row.threads) + ", " + row.variant;
    all[title].push_back(&row);
    if (narrow(row.rival) && row.variant.starts_with("packed")) avx2[title].push_back(&row);
  }
  for (const auto& [title, rows] : all) {
    const auto& kept = avx2[title];
    if (rows.size() > kept.size()) print_standing(title + " against the best library", rows);
    if (!kept.empty()) print_standing(title + " against the best library kept to AVX2", kept);
  }
}

}  // namespace duel

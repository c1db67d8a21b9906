#include "standing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "runner/machine.hpp"
#include "runner/text.hpp"

namespace duel {
namespace {

const course::Schema schema{
    course::split(
        "type,m,n,k,threads,variant,rival,pairs,ratio,ratio_low,ratio_high,ours_gflops,rival_gflops,"
        "device,flags,compiler,host,commit,started"),
    course::split("type,m,n,k,threads,variant,rival,device,flags,compiler,host,commit")};

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
    : file_(schema), flags_(flags), resume_(resume) {
  if (!path.empty()) file_.open(path);
}

course::Table::Row Standing::cells(const Row& row) const {
  const auto& [m, n, k] = row.shape;
  const auto& [pairs, ratio, low, high, ours, theirs] = row.numbers;
  return {row.type,
          std::to_string(m),
          std::to_string(n),
          std::to_string(k),
          std::to_string(row.threads),
          row.variant,
          row.rival,
          pairs,
          ratio,
          low,
          high,
          ours,
          theirs,
          course::processor(),
          flags_,
          course::compiler,
          course::host_name(),
          course::commit,
          course::utc_now()};
}

bool Standing::wants(Row row) {
  const course::Table::Row* const found = resume_ ? file_.find(cells(row)) : nullptr;
  if (found == nullptr) return true;
  std::copy_n(found->begin() + 7, 6, row.numbers);
  rows_.push_back(row);
  ++left_out;
  return false;
}

std::optional<std::string> Standing::met(const std::string& rung, const std::string& library) const {
  std::optional<std::string> found;
  if (!resume_) return found;
  for (const course::Table::Row* row : file_.rows()) {
    const std::string &variant = file_.cell(*row, "variant"), &rival = file_.cell(*row, "rival");
    const bool ours = variant == rung || variant == rung + "_threads";
    course::Table::Row here = cells({});  // the same build on the same machine
    std::copy_n(row->begin(), 13, here.begin());
    if (!ours || file_.find(here) != row || (rival != library && !rival.starts_with(library + " "))) continue;
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
  if (file_.is_open()) file_.append(cells(row));
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

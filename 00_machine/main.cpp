// 00_machine: what this machine is and what it can do, before any code of ours is blamed for being slow.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "measure.hpp"
#include "roof.hpp"
#include "runner/machine.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"

namespace {

using namespace machine;

constexpr const char* title = "00_machine: what this machine is, and what it can do";

/// The parts that --variant chooses from.
struct Part {
  const char *name, *idea;
  void (*add)(Session&);
  void (*inspect_again)(Session&) = nullptr;                // of rates, which a disturbance lowers
  std::string (*missing)() = [] { return std::string(); };  // why it cannot run here
};
constexpr Part parts[] = {
    {"topology", "cores, caches, memory, vector sets, as the system tells",
     [](Session& s) { add_topology(s.sheet, s.machine); }},
    {"latency", "how long one instruction waits for the one before; the clock", add_latencies},
    {"chains", "the peak's loop with fewer operations under way", add_chains, add_chains, chains_missing},
    {"cycle", "the same in operations a cycle, the clock measured around it", add_cycles},
    {"pace", "how fast a loop on registers is while nobody disturbs it", add_paces, add_paces},
    {"peak", "operations a second when nothing waits", add_peaks, add_peaks},
    {"bandwidth", "a = b + factor * c from each level of memory", add_bandwidths, add_bandwidths},
    {"read", "the sum of what lies in each level of memory", add_reads, add_reads},
    {"gpu", "the GPU: what it is, its roofs, copies to it and back", add_gpu, add_gpu_roofs, gpu_missing},
};

/// The defaults of the options.
course::Options defaults(const Topology& machine) {
  course::Options options;
  const int all = std::min(static_cast<int>(machine.cpus.size()), course::usable_cpus());
  if (all > 1) options.threads.push_back(all);
  options.most_threads = all;
  options.budget = 0.4;
  return options;
}

bool asked_for(const course::Options& options, const std::string& part) {
  const auto& names = options.variants;
  return names.empty() || std::find(names.begin(), names.end(), part) != names.end();
}

/// Throws Refusal if an option cannot be served here.
void check(const course::Options& options) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.emplace_back(part.name);
  for (const std::string& name : options.variants)
    course::one_of("--variant", name, names, "this program has");
  course::require_threads(options.threads);
}

/// The parts that were asked for and can run; of the others, a line each is added to `skipped`.
std::vector<Part> chosen(const course::Options& options, std::string& skipped) {
  std::vector<Part> some;
  for (const Part& part : parts) {
    if (!asked_for(options, part.name)) continue;
    const std::string missing = part.missing();
    if (missing.empty())
      some.push_back(part);
    else
      skipped.append("00_machine: ").append(part.name).append(" skipped: ").append(missing).append("\n");
  }
  return some;
}

// A roof is a maximum: inspected in up to four short moments (of 50 ms at least), spread over the run, and in
// more while other programs disturb it.
constexpr int more_inspections = 6;

/// With `again`, only the peaks that the file has (or the parts named) are measured, and the better value of
/// each stays. Returns the exit status.
int run_parts(course::Options options, const Topology& machine, bool again) {
  if (again && options.csv.empty())
    throw course::Refusal{"--again: needs the file to be measured again; give --csv FILE"};
  if (again && !std::filesystem::exists(options.csv))
    throw course::Refusal{"--again: there is no " + options.csv + "; measure it without --again first"};
  if (again && options.variants.empty()) options.variants = {"peak"};
  const int inspections = static_cast<int>(std::clamp(options.budget / 0.025, again ? 4. : 1., 4.));
  options.budget *= 2.0 / inspections;
  std::string skipped;
  const std::vector<Part> asked = chosen(options, skipped);
  if (asked.empty()) {
    std::cerr << skipped;
    return 77;
  }
  Sheet sheet;
  if (again) sheet.take_rows(options.csv, course::processor().name);
  sheet.open(options.csv);
  std::cerr << skipped;  // what the file refuses is one line, without these
  Session session{options, machine, sheet};
  std::printf("00_machine on %s, %s\n", course::processor().text().c_str(), course::compiler.c_str());
  if (!again) {
    add_processor(sheet, machine);
    for (const Part& part : asked) part.add(session);
  }
  for (int number = 2; number <= inspections + more_inspections; ++number) {
    sheet.inspection = number <= inspections ? Sheet::Inspection::again : Sheet::Inspection::of_disturbed;
    for (const Part& part : asked)
      if (part.inspect_again != nullptr) part.inspect_again(session);
  }
  return 0;
}

/// The best of a few: one, on many cores, nearly always meets a moment's work of the system.
int print_pace() {
  std::array<double, 5> paces;
  for (double& pace : paces) pace = machine::pace(course::usable_cpus());
  std::printf("%.4f\n", 1e-9 * *std::max_element(paces.begin(), paces.end()));
  return 0;
}

int run(int argc, char** argv) {
  const Topology machine = topology();
  course::Options options = defaults(machine);
  bool again = false, pace_alone = false;
  options.products = false;
  options.flags = {{"--again", &again,
                    "measure the peaks that --csv FILE has once more, and keep the better value of each"},
                   {"--pace", &pace_alone, "print the pace of all processors together, in Gop/s, and end"}};
  if (!course::parse(options, title, argc, argv)) return 0;
  if (pace_alone) return print_pace();
  check(options);
  if (!options.list) return run_parts(options, machine, again);
  std::printf("%s\n", title);
  for (const Part& part : parts) course::print_choice(part.name, part.idea, part.missing());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return course::exit_status("00_machine", [&] { return run(argc, argv); });
}

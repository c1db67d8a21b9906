// 00_machine: what this machine is and what it can do, before any code of ours is blamed for being slow.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "rivals.hpp"
#include "runner/machine.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"

namespace {

using namespace machine;

/// What --variant chooses from.
struct Part {
  const char *name, *idea;
  void (*add)(Session&);  // nullptr: a library
};
constexpr Part parts[] = {
    {"topology", "cores, caches, memory, vector sets, as the system tells",
     [](Session& s) { add_topology(s.sheet, s.machine); }},
    {"latency", "how long one instruction waits for the one before; the clock", add_latencies},
    {"peak", "operations a second when nothing waits", add_peaks},
    {"bandwidth", "a = b + factor * c from each level of memory", add_bandwidths},
    {"eigen", "Eigen, compiled for this processor", nullptr},
    {"openblas", "OpenBLAS, as it chooses and as it is fastest", nullptr},
    {"blis", "BLIS, as it chooses and as it is fastest", nullptr},
    {"onednn", "oneDNN (f32)", nullptr},
    {"mkl", "Intel's library", nullptr},
    {"blas", "the libraries given with --blas", nullptr},
};

bool is_library(const std::string& part) {
  const auto& all = library_parts();
  return std::find(all.begin(), all.end(), part) != all.end();
}

/// What holds where nothing is given.
course::Options defaults(const Topology& machine) {
  course::Options options;
  const auto all = static_cast<int>(machine.cpus.size());
  if (all > 1) options.threads.push_back(all);
  options.shapes = {{256, 256, 256},    {512, 512, 512},  {1024, 1024, 1024},
                    {2048, 2048, 2048}, {2048, 2048, 64}, {4096, 4096, 128}};
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
  require_cpus(options.threads);
  const bool libraries = std::any_of(std::begin(parts), std::end(parts), [&](const Part& part) {
    return is_library(part.name) && asked_for(options, part.name);
  });
  for (const course::Shape& s : options.shapes)
    if (libraries) course::require_memory(course::shape_text(s) + ": needs", 8 * s.elements());
}

std::vector<Candidate> of_part(const std::vector<Candidate>& all, const std::string& part) {
  std::vector<Candidate> some;
  for (const Candidate& candidate : all)
    if (candidate.part == part) some.push_back(candidate);
  return some;
}

void print_list(const std::vector<Candidate>& libraries) {
  std::printf("00_machine: what this machine is, and what it can do\n");
  for (const Part& part : parts) {
    const bool missing = is_library(part.name) && of_part(libraries, part.name).empty();
    course::print_choice(part.name, part.idea,
                         !missing                                ? ""
                         : part.name == std::string_view("blas") ? "none was given"
                                                                 : "not installed");
  }
}

/// False if nothing that was asked for can run here.
bool add_parts(Session& session, const std::vector<Candidate>& libraries) {
  const course::Options& options = session.options;
  bool any = false;
  for (const Part& part : parts) {
    if (!asked_for(options, part.name)) continue;
    if (is_library(part.name)) {
      const auto candidates = of_part(libraries, part.name);
      for (const auto& settings : by_library(candidates)) any |= add_library(session, settings);
      if (candidates.empty() && !options.variants.empty())
        std::cerr << "00_machine: " << part.name << " skipped: "
                  << (part.name == std::string("blas") ? "give --blas FILE" : "it is not installed here")
                  << "\n";
    } else {
      any = true;
      part.add(session);
    }
  }
  return any;
}

int run_parts(const course::Options& options, const Topology& machine,
              const std::vector<Candidate>& libraries) {
  Sheet sheet(options.csv, options.resume, course::processor());
  Session session{options, machine, sheet};
  std::printf("00_machine on %s, %s\n", course::processor().c_str(), course::compiler.c_str());
  int status = 0;
  try {
    add_processor(sheet, machine);
    status = add_parts(session, libraries) ? 0 : 77;
    sheet.second_look = true;
    if (asked_for(options, "peak")) add_peaks(session);
    if (asked_for(options, "bandwidth")) add_bandwidths(session);
  } catch (const course::Refusal& refused) {
    if (!session.wrong) throw;
    std::cerr << "00_machine: " << refused.message << "\n";  // a wrong product beats all else
  }
  if (sheet.left_out > 0 && options.resume)
    std::printf("00_machine: %d rows were in %s already\n", sheet.left_out, options.csv.c_str());
  return session.wrong ? 1 : status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == child_mark) return run_child(argc, argv);
  return course::guarded("00_machine", [&] {
    const Topology machine = topology();
    course::Options options = defaults(machine);
    std::vector<std::string> files;
    CLI::App app("00_machine: what this machine is, and what it can do");
    course::add_common(app, options, true);
    course::add_number(app, "--repeat", "Timed runs of a library's product, at most (default 5)",
                       options.repeat, 1, 1'000'000);
    add_blas(app, files);
    if (!course::parse(app, options, argc, argv)) return 0;
    check(options);
    const auto libraries = candidates(files);
    if (options.list) return print_list(libraries), 0;
    return run_parts(options, machine, libraries);
  });
}

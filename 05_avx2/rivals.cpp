// Ours against every library here: both in one process, in turns; the question is their ratio.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "child.hpp"
#include "common/verify.hpp"
#include "duel.hpp"
#include "runner/machine.hpp"
#include "runner/options.hpp"
#include "runner/prediction.hpp"
#include "runner/run.hpp"
#include "runner/text.hpp"
#include "standing.hpp"

namespace {

using course::Shape;
using namespace machine;

/// A rung of ours; several threads call its sister, NAME_threads.
struct Rung {
  const char *name, *sets, *idea;
};
constexpr Rung rungs[] = {
    {"avx512", "avx2,fma,avx512f,avx512dq,avx512bw,avx512vl", "against each library's best setting"},
    {"packed", "avx2,fma",
     "against OpenBLAS Haswell and BLIS haswell; without AVX-512, or when named, against all"}};

/// A library at the setting that counts.
struct Rival {
  Candidate candidate;
  bool best = false, narrow = false;  // its library's best; kept to AVX2
};

/// The command line: the course's, and kinds of libraries and files.
struct Asked {
  course::Options options;
  std::vector<std::string> kinds, files;
};

struct Session {
  const course::Options& options;
  duel::Standing& standing;
  std::vector<std::string> ours = {};  // names of rungs that can run, the widest first
  std::set<std::string> out = {};      // rivals that failed: not asked again
  bool wrong = false;
};

/// What holds where nothing is given.
Asked defaults() {
  Asked asked;
  course::Options& options = asked.options;
  options.types = {"f32", "f64"}, options.repeat = 21, options.budget = 0.3;
  if (const int cpus = course::usable_cpus(); cpus > 1) options.threads.push_back(cpus);
  options.shapes.clear();
  for (const course::Index n : {256, 384, 512, 768, 1024, 1500, 2000, 2048, 3000, 4096})
    options.shapes.push_back({n, n, n});
  for (const course::Index n : {2048, 4096})
    for (const course::Index k : {32, 64, 128, 156}) options.shapes.push_back({n, n, k});
  return asked;
}

/// Throws Refusal if an option cannot be served here.
void check(const course::Options& options) {
  for (const std::string& name : options.variants)
    course::one_of("--variant", name, {"avx512", "packed"}, "this program has");
  require_cpus(options.threads);
  for (const Shape& s : options.shapes) {
    if (s.flops() == 0) throw course::Refusal{course::shape_text(s) + ": an empty product takes no time"};
    const double c = static_cast<double>(s.m) * static_cast<double>(s.n);
    course::require_memory(course::shape_text(s) + ": needs",
                           8 * (s.elements() + 3 * c) + course::Verifier<double>::bytes(s, false));
  }
}

/// What machine.csv knows: the label of the best setting, by library.
std::map<std::string, std::string> known_settings(const std::string& path,
                                                  const std::vector<std::vector<Candidate>>& libraries) {
  std::map<std::string, std::string> known;
  if (path.empty()) return known;
  course::Table table(course::machine_schema());
  table.read(path, "--machine");
  for (const course::Table::Row* row : table.rows()) {
    const std::string &name = table.cell(*row, "name"), &note = table.cell(*row, "note");
    if (name == "processor" && !course::Table::same(note, course::processor())) {
      std::cerr << "rivals: " << path << " is of another machine, " << note << "\n";
      return {};
    }
    for (const auto& settings : libraries)
      if (name == "library" && is_best(settings[0].name, table.cell(*row, "vector"), note))
        known[settings[0].name] = table.cell(*row, "vector");
  }
  return known;
}

void say(Session& session, const std::string& line, bool wrong = false) {
  session.wrong |= wrong;
  std::cerr << "rivals: " << line << "\n";
}

/// VARIANT:TYPE of one process.
using Jobs = std::vector<std::pair<std::string, std::string>>;
using OnRow = std::function<void(const duel::Row&)>;

/// A process in which this library meets ours. Returns the kernel that the library says it uses, or why it
/// failed.
std::string meet(Session& session, const Candidate& candidate, const Shape& shape, int threads,
                 const Jobs& jobs, int pairs, double budget, const OnRow& on_row) {
  std::string list, kernel, type;
  for (const auto& [variant, job_type] : jobs) list += (list.empty() ? "" : ",") + variant + ":" + job_type;
  Environment environment = candidate.environment;
  for (auto& variable : thread_environment(threads, threads, candidate.openmp))
    environment.push_back(std::move(variable));
  // Our OpenMP's threads wait for more work at full speed, and would disturb those that are not OpenMP's.
  const bool apart = threads > 1 && !candidate.openmp;
  if (apart) environment.emplace_back("GOMP_SPINCOUNT", "10000");
  std::ostringstream seconds;
  seconds << budget;
  const std::string where = candidate.label() + " with " + course::threads_text(threads);
  const double limit = 10 + 10 * budget + 3 * pairs * shape.flops() * 1e-9;  // nothing here is so slow
  const std::string end = run_apart(
      {candidate.file, apart ? "0.005" : "0", std::to_string(threads), std::to_string(pairs), seconds.str(),
       course::shape_text(shape), list},
      environment, limit, [&](const std::vector<std::string>& cells) {
        if (cells[0] == "about") {
          kernel = cells[2];
        } else if (cells[0] == "type") {
          type = cells[1];
        } else if (cells[0] == "failed") {
          say(session, candidate.label() + ": " + cells[1]);
        } else if (cells[0] == "wrong") {
          const std::string who = cells[1].empty() ? candidate.label() : cells[1];
          say(session, who + " " + type + " is wrong: " + cells[2], true);
          session.out.insert(candidate.label());
        } else if (cells[0] == "row" && cells.size() == 9) {
          duel::Row row{cells[2],          shape, threads, cells[1] + (threads > 1 ? "_threads" : ""),
                        candidate.label(), {}};
          std::copy_n(cells.begin() + 3, 6, row.numbers);
          if (knows(candidate, kernel)) on_row(row);
        }
      });
  if (!end.empty()) {
    say(session, where + " left out: " + end);
    session.out.insert(candidate.label());
  }
  return kernel;
}

/// Every library at its best setting, and the two that are to be met at AVX2's width, too.
std::vector<Rival> find_rivals(Session& session, const std::vector<std::vector<Candidate>>& libraries,
                               const std::map<std::string, std::string>& known) {
  const Shape screened = {512, 512, 512};
  const double screening = std::min(0.1, session.options.budget);
  const std::string& type = session.options.types[0];
  std::vector<Rival> rivals;
  for (const auto& settings : libraries) {
    const std::string& name = settings[0].name;
    const auto found = known.find(name);
    Choice choice = remembered(settings, found != known.end() ? std::optional(found->second)
                                                              : session.standing.met(session.ours[0], name));
    if (choice.best == nullptr)
      choice = choose(settings, type + ":" + course::shape_text(screened), [&](const Candidate& setting) {
        Look look;
        look.kernel = meet(session, setting, screened, 1, {{session.ours[0], type}}, 5, screening,
                           [&](const duel::Row& row) { look.rate = std::atof(row.numbers[5].c_str()); });
        return look;
      });
    for (const Candidate& setting : settings) {
      const bool narrow = setting.label() == "OpenBLAS Haswell" || setting.label() == "BLIS haswell";
      if (&setting == choice.best || narrow) rivals.push_back({setting, &setting == choice.best, narrow});
    }
  }
  return rivals;
}

/// Named rungs meet all; else the widest the best of each library, and `packed` those kept to AVX2.
bool meets(const Session& session, const std::string& rung, const Rival& rival) {
  const auto& named = session.options.variants;
  if (!named.empty()) return rival.best || rung == "packed";
  return (rung == session.ours[0] && rival.best) || (rung == "packed" && rival.narrow);
}

void run_duels(Session& session, const std::vector<Rival>& rivals) {
  std::vector<Shape> shapes = session.options.shapes;  // the cheap ones first
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.flops() < b.flops(); });
  for (const Shape& shape : shapes)
    for (const int threads : session.options.threads)
      for (const Rival& rival : rivals) {
        const std::string label = rival.candidate.label();
        Jobs jobs;
        for (const std::string& type : session.options.types)
          for (const std::string& rung : session.ours)
            if (meets(session, rung, rival) &&
                session.standing.wants(
                    {type, shape, threads, rung + (threads > 1 ? "_threads" : ""), label, {}}))
              jobs.emplace_back(rung, type);
        if (jobs.empty() || session.out.contains(label)) continue;
        const std::string kernel =
            meet(session, rival.candidate, shape, threads, jobs, session.options.repeat,
                 session.options.budget, [&](const duel::Row& row) { session.standing.add(row); });
        if (knows(rival.candidate, kernel)) continue;
        say(session, label + " left out: it does not know this setting and uses " + kernel);
        session.out.insert(label);
      }
}

/// The rungs asked for that can run here, each of the others with its reason.
std::vector<std::string> ours(const course::Options& options) {
  std::vector<std::string> names;
  for (const Rung& rung : rungs) {
    const auto& named = options.variants;
    if (!named.empty() && std::find(named.begin(), named.end(), rung.name) == named.end()) continue;
    const std::string missing = course::lacking(rung.sets);
    if (missing.empty())
      names.emplace_back(rung.name);
    else
      std::cerr << "rivals: " << rung.name << " skipped: this processor lacks " << missing << "\n";
  }
  return names;
}

std::vector<std::vector<Candidate>> libraries(const Asked& all) {
  std::vector<Candidate> asked;
  for (Candidate& candidate : candidates(all.files))
    if (const auto& kinds = all.kinds;
        kinds.empty() || std::find(kinds.begin(), kinds.end(), candidate.part) != kinds.end())
      asked.push_back(std::move(candidate));
  return by_library(asked);
}

void print_list(const std::vector<std::vector<Candidate>>& found) {
  std::printf("rivals: ours and every library, in turns\n");
  for (const Rung& rung : rungs) {
    const std::string missing = course::lacking(rung.sets);
    course::print_choice(rung.name, rung.idea, missing.empty() ? "" : "this processor lacks " + missing);
  }
  for (const auto& settings : found) std::printf("  against          %s\n", settings[0].name.c_str());
}

int run(const course::Options& options, const std::vector<std::vector<Candidate>>& found) {
  const auto known = known_settings(options.machine, found);
  duel::Standing standing(options.csv, options.resume, COURSE_FLAGS);
  Session session{options, standing};
  session.ours = ours(options);
  if (session.ours.empty()) return 77;
  std::printf("ours, as often as fast as: the median of %d pairs or more, and its quartiles; on %s\n",
              options.repeat, course::processor().c_str());
  run_duels(session, find_rivals(session, found, known));
  if (standing.left_out > 0)
    std::printf("rivals: %d rows were in %s already\n", standing.left_out, options.csv.c_str());
  standing.print_summary();
  if (session.wrong) return 1;
  if (standing.added + standing.left_out > 0) return 0;
  std::cerr << "rivals: skipped: no library that was asked for is here\n";
  return 77;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == child_mark) return duel::run_child(argc, argv);
  return course::guarded("rivals", [&] {
    Asked asked = defaults();
    course::Options& options = asked.options;
    CLI::App app("rivals: ours and every library, in turns");
    course::add_common(app, options, true);
    course::add_number(app, "--pairs", "Pairs of runs a row has at least (default 21)", options.repeat, 1,
                       1'000'000);
    course::add_list(app, "--rival", "Of " + course::listed(library_parts(), ",") + " (default all)",
                     asked.kinds,
                     [](auto& option, auto& item) { return course::one_of(option, item, library_parts()); });
    course::add_text(app, "--machine", "What 00_machine found: each library's best setting",
                     [&](auto&, auto& given) { options.machine = given; });
    add_blas(app, asked.files);
    if (!course::parse(app, options, argc, argv)) return 0;
    check(options);
    const auto found = libraries(asked);
    if (options.list) return print_list(found), 0;
    return run(options, found);
  });
}

#include "common/record.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace course;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/course-record-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

std::string content(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

Record row(const std::string& variant, Index n = 8) {
  Record r;
  r.step = "01_naive", r.variant = variant, r.type = "f32", r.shape = {n, n, n}, r.verdict = "right";
  return r;
}

}  // namespace

TEST_CASE("the schema is the agreed one") {
  CHECK(Record{}.header() ==
        "step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,repeat,best_s,median_s,mean_"
        "s,stddev_s,"
        "alloc_s,copy_in_s,copy_out_s,distribute_s,collect_s,imbalance,words_received,gflops,predicted_s,"
        "verify,"
        "error_share,relative_error,differences,verdict,counters,flags,compiler,host,commit,started");
}

TEST_CASE("what does not apply is empty, and no cell can break a line") {
  Record r = row("ijk");
  r.device = "a, \"b\"\nc", r.best_s = 0.25, r.settings.tile = 64;
  const std::string line = r.line();
  const std::string header = Record{}.header();
  CHECK(std::count(line.begin(), line.end(), ',') == std::count(header.begin(), header.end(), ','));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find('"') == std::string::npos);
  CHECK(line.find(",64,a   b  c,0,0.25,,,") != std::string::npos);
}

TEST_CASE("rows are appended below one header and found again by their key") {
  const Folder folder;
  const auto path = folder.path / "rows.csv";
  { Csv(path).append(row("ijk")); }
  {
    Csv csv(path);
    CHECK(csv.known(row("ijk"))->verdict == "right");
    CHECK_FALSE(csv.known(row("ikj")).has_value());
    CHECK_FALSE(csv.known(row("ijk", 9)).has_value());
    csv.append(row("ikj"));
    CHECK(csv.known(row("ikj"))->verdict == "right");
  }
  CHECK(content(path) == Record{}.header() + "\n" + row("ijk").line() + "\n" + row("ikj").line() + "\n");
}

TEST_CASE("each thing that tells rows apart is part of the key") {
  const std::string key = key_of(row("ijk").fields());
  const auto differs = [&](auto change) {
    Record r = row("ijk");
    change(r);
    return key_of(r.fields()) != key;
  };
  CHECK(differs([](Record& r) { r.step = "02"; }));
  CHECK(differs([](Record& r) { r.type = "f64"; }));
  CHECK(differs([](Record& r) { r.shape.k = 9; }));
  CHECK(differs([](Record& r) { r.fill = "digits"; }));
  CHECK(differs([](Record& r) { r.seed = 1; }));
  CHECK(differs([](Record& r) { r.settings.threads = 2; }));
  CHECK(differs([](Record& r) { r.settings.tile = 32; }));
  CHECK(differs([](Record& r) { r.settings.grid = "2x2"; }));
  CHECK(differs([](Record& r) { r.ranks = 2; }));
  CHECK(differs([](Record& r) { r.device = "gpu"; }));
  CHECK(differs([](Record& r) { r.flags = "-O0"; }));
  CHECK(differs([](Record& r) { r.compiler = "clang++"; }));
  CHECK(differs([](Record& r) { r.host = "other"; }));
  CHECK(differs([](Record& r) { r.commit = "abc"; }));
  CHECK_FALSE(differs([](Record& r) { r.best_s = 1, r.repeat = 5, r.verdict = "wrong", r.started = "now"; }));
}

TEST_CASE("a torn last line is cut off, a torn header written anew") {
  const Folder folder;
  const auto path = folder.path / "rows.csv";
  const std::string whole = Record{}.header() + "\n" + row("ijk").line() + "\n";
  write(path, whole + row("ikj").line().substr(0, 20));
  { Csv csv(path); }
  CHECK(content(path) == whole);
  write(path, Record{}.header().substr(0, 30));
  { Csv csv(path); }
  CHECK(content(path) == Record{}.header() + "\n");
}

TEST_CASE("a file with other columns is refused and left as it was") {
  const Folder folder;
  const auto path = folder.path / "other.csv";
  for (const std::string text : {"a,b,c\n1,2,3\n", "no newline", "\n"}) {
    write(path, text);
    CHECK_THROWS_AS(Csv{path}, Refusal);
    CHECK(content(path) == text);
  }
}

TEST_CASE("what was run, how often and for how long, is known again") {
  const Folder folder;
  const auto path = folder.path / "rows.csv";
  Record r = row("ijk");
  r.repeat = 4, r.mean_s = 0.25, r.verdict = "wrong";
  { Csv(path).append(r); }
  const auto known = Csv(path).known(row("ijk"));
  CHECK(known->verdict == "wrong");
  CHECK(known->repeat == 4);
  CHECK(known->seconds == doctest::Approx(1));
}

TEST_CASE("what cannot be written is refused") {
  CHECK_THROWS_AS(Csv("/nonexistent/rows.csv"), Refusal);
  CHECK_THROWS_AS(Csv("/tmp"), Refusal);
  CHECK_THROWS_AS(Csv("/dev/full"), Refusal);
}

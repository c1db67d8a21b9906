// One class reads and writes all of the course's CSV files.
#include "runner/table.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/prediction.hpp"
#include "runner/record.hpp"
#include "runner/text.hpp"

using namespace course;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/course-table-XXXXXX";
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

const Schema schema{{"name", "size", "value"}, {"name", "size"}};

}  // namespace

TEST_CASE("rows are appended below one header and found again by their key") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  {
    Table table(schema);
    table.open(path);
    table.append({"a", "1", "x"});
    CHECK(table.find({"a", "1", "?"})->at(2) == "x");
  }
  Table table(schema);
  table.open(path);
  CHECK(table.find({"a", "1", ""})->at(2) == "x");
  CHECK(table.find({"b", "1", "x"}) == nullptr);
  CHECK(table.find({"a", "2", "x"}) == nullptr);
  table.append({"b", "1", "y"});
  table.append({"c", "11", "z"});
  CHECK(table.find({"c1", "1", "z"}) == nullptr);  // the same letters, in other cells
  CHECK(content(path) == "name,size,value\na,1,x\nb,1,y\nc,11,z\n");
}

TEST_CASE("of rows with the same key the last counts, in the place where it stands") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  write(path, "name,size,value\na,1,old\nb,1,y\na,1,new\n");
  Table table(schema);
  table.read(path, "--file");
  REQUIRE(table.rows().size() == 2);
  CHECK(table.rows()[0]->at(0) == "b");
  CHECK(table.rows()[1]->at(2) == "new");
  table.append({"b", "1", "again"});
  CHECK(table.find({"b", "1", ""})->at(2) == "again");
  CHECK(content(path) == "name,size,value\na,1,old\nb,1,y\na,1,new\n");  // only read
}

TEST_CASE("no cell can break a line, and a key with such a cell is found again") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  const std::string odd = "a, \"b\"\nc\r";
  Table table(schema);
  table.open(path);
  table.append({odd, "1", odd});
  CHECK(content(path) == "name,size,value\na   b  c ,1,a   b  c \n");
  CHECK(table.find({odd, "1", ""}) != nullptr);
  CHECK(Table::same("a   b  c ", odd));
  CHECK_FALSE(Table::same("a b c", odd));
}

TEST_CASE("cells are found by their column, numbers are numbers as a whole") {
  const Table table(schema);
  const Table::Row row = {"a", "12", "1e3x"};
  CHECK(table.cell(row, "size") == "12");
  CHECK(table.number(row, "size") == 12);
  CHECK(table.number(row, "value") == 0);
  CHECK(table.number({"", "-2.5e-1", ""}, "size") == -0.25);
}

TEST_CASE("each thing that tells rows apart is part of the key, nothing else is") {
  const auto check = [](const Schema& which, const std::vector<std::string>& expected) {
    for (std::size_t c = 0; c < which.columns.size(); ++c) {
      Table table(which);
      Table::Row row(which.columns.size(), "1");
      table.append(row);
      row[c].push_back('2');
      const bool named = std::find(expected.begin(), expected.end(), which.columns[c]) != expected.end();
      CAPTURE(which.columns[c]);
      CHECK((table.find(row) == nullptr) == named);
    }
  };
  check(results_schema(), split("step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,"
                                "flags,compiler,host,commit"));
  check(machine_schema(), split("name,type,vector,threads,level"));
}

TEST_CASE("a torn last line is cut off, a torn header written anew, a torn row passed over") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv", whole = "name,size,value\na,1,x\n";
  write(path, "name,size,value\na,1,x\nb,1");
  { Table(schema).open(path); }
  CHECK(content(path) == whole);
  write(path, "name,si");
  { Table(schema).open(path); }
  CHECK(content(path) == "name,size,value\n");
  write(path, "name,size,value\na,1\nb,1,y\n");
  Table table(schema);
  table.open(path);
  CHECK(table.rows().size() == 1);
  CHECK(content(path) == "name,size,value\na,1\nb,1,y\n");
}

TEST_CASE("a last row that lacks only the end of its line is whole") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  write(path, "name,size,value\na,1,x\nb,1,y");
  Table reader(schema);
  reader.read(path, "--file");
  CHECK(reader.find({"b", "1", ""}) != nullptr);
  Table table(schema);
  table.open(path);
  table.append({"c", "1", "z"});
  CHECK(content(path) == "name,size,value\na,1,x\nb,1,y\nc,1,z\n");
}

TEST_CASE("a file that another program writes is refused until that has ended") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  {
    Table first(schema), second(schema);
    first.open(path);
    CHECK_THROWS_AS(second.open(path), Refusal);
    first.append({"a", "1", "x"});
  }
  CHECK_NOTHROW(Table(schema).open(path));
  CHECK(content(path) == "name,size,value\na,1,x\n");
}

TEST_CASE("a pipe is refused, not waited for") {
  const Folder folder;
  const std::string path = folder.path / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK_THROWS_AS(Table(schema).open(path), Refusal);
  CHECK_THROWS_AS(Table(schema).read(path, "--file"), Refusal);
}

TEST_CASE("a file with other columns is refused and left as it was") {
  const Folder folder;
  const std::string path = folder.path / "other.csv";
  for (const std::string text : {"a,b,c\n1,2,3\n", "no newline", "\n", "name,size,value,more\n"}) {
    write(path, text);
    CHECK_THROWS_AS(Table(schema).open(path), Refusal);
    CHECK_THROWS_AS(Table(schema).read(path, "--file"), Refusal);
    CHECK(content(path) == text);
  }
}

TEST_CASE("what cannot be read or written is refused") {
  for (const char* path : {"/nonexistent/rows.csv", "/tmp", "/dev/full"})
    CHECK_THROWS_AS(Table(schema).open(path), Refusal);
  CHECK_THROWS_AS(Table(schema).read("/nonexistent/rows.csv", "--file"), Refusal);
}

TEST_CASE("of a line that does not fit on the disk nothing stays, not of the first one either") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t room : {rlim_t{10}, rlim_t{20}}) {  // the header has 16 bytes
    const rlimit full{room, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
    std::string why;
    try {
      Table table(schema);
      table.open(path);
      table.append({"a", "1", "x"});
    } catch (const Refusal& refusal) {
      why = refusal.message;
    }
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(why.ends_with(": no space left"));
    CHECK(content(path) == (room < 16 ? "" : "name,size,value\n"));
  }
  std::signal(SIGXFSZ, former);
}

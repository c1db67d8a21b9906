// One class reads and writes all of the course's CSV files.
#include "runner/table.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "captured.hpp"
#include "runner/text.hpp"

using namespace course;

namespace {

std::string content_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A file in a folder of its own.
struct File {
  File() {
    char name[] = "/tmp/course-table-XXXXXX";
    folder = mkdtemp(name), path = folder / "rows.csv";
  }
  ~File() { std::filesystem::remove_all(folder); }
  void write(const std::string& text) const { std::ofstream(path) << text; }
  std::string content() const { return content_of(path); }
  std::filesystem::path folder;
  std::string path;
};

const Schema schema{{"name"}, {"size"}, {"value"}};

}  // namespace

TEST_CASE("rows are appended below one header; no cell can break a line") {
  const File file;
  for (const char* name : {"a", "a, \"b\"\nc\r"}) {
    Table table(schema);
    table.open(file.path);
    table.append({name, "1", name});
  }
  CHECK(file.content() == "name,size,value\na,1,a\na   b  c ,1,a   b  c \n");
  Table(schema).append({"b", "1", "y"});  // without a file
}

TEST_CASE("rows are read in their order, torn ones passed over") {
  const File file;
  file.write("name,size,value\na,1,old\nb,1\na,1,new\nc,1,2,3\nd");
  CHECK(Table(schema).read(file.path, "--file") ==
        std::vector<Table::Row>{{"a", "1", "old"}, {"a", "1", "new"}});
}

TEST_CASE("opening ends a torn line and writes a torn header anew") {
  const std::string header = "name,size,value\n";
  for (const auto& [before, after] : {std::pair(header + "a,1,x\nb,1", header + "a,1,x\nb,1\n"),
                                      {header + "a,1,x", header + "a,1,x\n"},
                                      {"", header},
                                      {"name,si", header},
                                      {"name,size,value", header}}) {
    const File file;
    file.write(before);
    Table(schema).open(file.path);
    CHECK(file.content() == after);
  }
}

TEST_CASE("what is no file of rows is refused, and a pipe not waited for") {
  const File file;
  REQUIRE(mkfifo(file.path.c_str(), 0600) == 0);
  for (const char* path : {file.path.c_str(), "/dev/null/rows.csv", "/tmp"}) {
    CHECK_THROWS_AS(Table(schema).open(path), Refusal);
    CHECK_THROWS_AS(Table(schema).read(path, "--file"), Refusal);
  }
}

TEST_CASE("a file of another version is set aside under a free name, with a line; any other is refused") {
  const File file;
  for (const auto& [text, name] :
       {std::pair("name,size,more\n1,2,3\n", "rows.old.csv"), {"name,size,value,more\n", "rows.old2.csv"}}) {
    file.write(text);
    CHECK_THROWS_AS(Table(schema).read(file.path, "--file"), Refusal);
    const std::string said = captured([&] { Table(schema).open(file.path); }).err;
    const std::string old = file.folder / name;
    CHECK(said == "--csv: " + file.path + " has the columns of another version: it is " + old + " now\n");
    CHECK(file.content() == "name,size,value\n");
    CHECK(content_of(old) == text);
  }
  for (const std::string text : {"a,b,c\n1,2,3\n", "no newline", "\n"}) {
    file.write(text);
    CHECK_THROWS_AS(Table(schema).open(file.path), Refusal);
    CHECK(file.content() == text);
  }
}

// One class reads and writes all of the course's CSV files.
#include "runner/table.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/prediction.hpp"
#include "runner/record.hpp"
#include "runner/text.hpp"

using namespace course;

namespace {

/// A file in a folder of its own.
struct File {
  File() {
    char name[] = "/tmp/course-table-XXXXXX";
    folder = mkdtemp(name), path = folder / "rows.csv";
  }
  ~File() { std::filesystem::remove_all(folder); }
  void write(const std::string& text) const { std::ofstream(path) << text; }
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::filesystem::path folder;
  std::string path;
};

const Schema schema{{"name", key}, {"size", key}, {"value"}};

}  // namespace

TEST_CASE("rows are appended below one header and found again by their key") {
  const File file;
  {
    Table table(schema);
    table.open(file.path);
    table.append({"a", "1", "x"});
    CHECK(table.find({"a", "1", "?"})->at(2) == "x");
  }
  Table table(schema);
  table.open(file.path);
  CHECK(table.find({"a", "1", ""})->at(2) == "x");
  CHECK(table.find({"b", "1", "x"}) == nullptr);
  CHECK(table.find({"a", "2", "x"}) == nullptr);
  table.append({"b", "1", "y"});
  table.append({"c", "11", "z"});
  CHECK(table.find({"c1", "1", "z"}) == nullptr);  // the same letters, in other cells
  CHECK(file.content() == "name,size,value\na,1,x\nb,1,y\nc,11,z\n");
}

TEST_CASE("of rows with the same key the last counts") {
  const File file;
  file.write("name,size,value\na,1,old\nb,1,y\na,1,new\n");
  Table table(schema);
  table.read(file.path, "--file");
  REQUIRE(table.rows().size() == 2);
  CHECK(table.find({"a", "1", ""})->at(2) == "new");
  table.append({"b", "1", "again"});
  CHECK(table.find({"b", "1", ""})->at(2) == "again");
  CHECK(file.content() == "name,size,value\na,1,old\nb,1,y\na,1,new\n");  // only read
}

TEST_CASE("no cell can break a line, and a key with such a cell is found again") {
  const File file;
  const std::string odd = "a, \"b\"\nc\r";
  Table table(schema);
  table.open(file.path);
  table.append({odd, "1", odd});
  CHECK(file.content() == "name,size,value\na   b  c ,1,a   b  c \n");
  CHECK(table.find({odd, "1", ""}) != nullptr);
}

TEST_CASE("cells are found by their column, numbers are numbers as a whole") {
  const Table table(schema);
  const Table::Row row = {"a", "12", "1e3x"};
  CHECK(table.cell(row, "size") == "12");
  CHECK(table.number(row, "size") == 12);
  CHECK(table.number(row, "value") == 0);
  CHECK(table.number({"", "-2.5e-1", ""}, "size") == -0.25);
}

TEST_CASE("what tells rows apart: the key of results and of machines") {
  const auto key_of = [](const Schema& columns) {
    std::vector<std::string> names;
    for (const Column& column : columns)
      if (column.is_key) names.push_back(column.name);
    return joined(names, ",");
  };
  CHECK(key_of(Record().columns()) ==
        "step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,flags,compiler,host,commit");
  CHECK(key_of(machine_schema()) == "name,type,vector,threads,level");
}

TEST_CASE("a torn row is passed over, the last one ended; a torn header is written anew") {
  const File file;
  const std::string rows = "name,size,value\na,1,x\n";
  file.write(rows + "b,1");
  Table reader(schema);
  reader.read(file.path, "--file");
  CHECK(reader.rows().size() == 1);
  Table table(schema);
  table.open(file.path);
  CHECK(file.content() == rows + "b,1\n");
  table.append({"c", "1", "z"});
  CHECK(table.rows().size() == 2);
  CHECK(file.content() == rows + "b,1\nc,1,z\n");
  const File unended;  // it lacks only the end of its line: whole
  unended.write(rows + "b,1,y");
  Table whole(schema);
  whole.open(unended.path);
  CHECK(whole.find({"b", "1", ""}) != nullptr);
  CHECK(unended.content() == rows + "b,1,y\n");
  for (const char* torn : {"", "name,si", "name,size,value"}) {
    const File other;
    other.write(torn);
    Table(schema).open(other.path);
    CHECK(other.content() == "name,size,value\n");
  }
}

TEST_CASE("a file that another program writes is refused until that has ended") {
  const File file;
  {
    Table first(schema), second(schema);
    first.open(file.path);
    CHECK_THROWS_AS(second.open(file.path), Refusal);
    first.append({"a", "1", "x"});
  }
  CHECK_NOTHROW(Table(schema).open(file.path));
  CHECK(file.content() == "name,size,value\na,1,x\n");
}

TEST_CASE("what is no file of rows is refused, and a pipe not waited for") {
  const File file;
  REQUIRE(mkfifo(file.path.c_str(), 0600) == 0);
  for (const char* path : {file.path.c_str(), "/nonexistent/rows.csv", "/tmp"}) {
    CHECK_THROWS_AS(Table(schema).open(path), Refusal);
    CHECK_THROWS_AS(Table(schema).read(path, "--file"), Refusal);
  }
}

TEST_CASE("a file with other columns is refused and left as it was") {
  const File file;
  for (const std::string text : {"a,b,c\n1,2,3\n", "no newline", "\n", "name,size,value,more\n"}) {
    file.write(text);
    CHECK_THROWS_AS(Table(schema).open(file.path), Refusal);
    CHECK_THROWS_AS(Table(schema).read(file.path, "--file"), Refusal);
    CHECK(file.content() == text);
  }
}

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

const Schema schema{{"name", key}, {"size", key}, {"value"}};

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

TEST_CASE("of rows with the same key the last counts") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  write(path, "name,size,value\na,1,old\nb,1,y\na,1,new\n");
  Table table(schema);
  table.read(path, "--file");
  REQUIRE(table.rows().size() == 2);
  CHECK(table.find({"a", "1", ""})->at(2) == "new");
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
  const Folder folder;
  const std::string path = folder.path / "rows.csv", rows = "name,size,value\na,1,x\n";
  write(path, rows + "b,1");
  Table reader(schema);
  reader.read(path, "--file");
  CHECK(reader.rows().size() == 1);
  Table(schema).open(path);
  CHECK(content(path) == rows + "b,1\n");
  Table table(schema);
  table.open(path);
  table.append({"c", "1", "z"});
  CHECK(table.rows().size() == 2);
  CHECK(content(path) == rows + "b,1\nc,1,z\n");
  const std::string other = folder.path / "other.csv";
  for (const char* torn : {"", "name,si", "name,size,value"}) {
    write(other, torn);
    Table(schema).open(other);
    CHECK(content(other) == "name,size,value\n");
  }
}

TEST_CASE("a last row that lacks only the end of its line is whole") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  write(path, "name,size,value\na,1,x\nb,1,y");
  Table table(schema);
  table.open(path);
  CHECK(table.find({"b", "1", ""}) != nullptr);
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

TEST_CASE("a full disk is refused, and what was there before stays whole") {
  const Folder folder;
  const std::string path = folder.path / "rows.csv";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t room : {rlim_t{10}, rlim_t{20}}) {  // of the header, which is then written anew; of a row
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
    CHECK(content(path).size() == room);
  }
  std::signal(SIGXFSZ, former);
  Table table(schema);
  table.open(path);
  table.append({"a", "1", "y"});
  CHECK(content(path) == "name,size,value\na,1,\na,1,y\n");
  CHECK(table.find({"a", "1", ""})->at(2) == "y");
}

// Reads and writes the CSV files: results and machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace course {

/// A column of a CSV file: its name, its cell in one row. Those that tell measurements apart come first.
struct Column {
  std::string name;
  std::string cell = {};
};
using Schema = std::vector<Column>;  // the columns of one kind of file

/// "a,b,c" → {"a", "b", "c"}; an empty item stays.
std::vector<std::string> split(std::string_view text, char separator = ',');

/// A CSV file, read or appended to. Nothing is quoted: commas become blanks.
class Table {
 public:
  using Row = std::vector<std::string>;  // a cell for each column

  explicit Table(Schema schema) : schema_(std::move(schema)) {}
  ~Table();
  Table(const Table&) = delete;

  /// The rows of the file at `path`, but for torn lines. Throws Refusal, naming `option`, if it cannot be
  /// read or has other columns.
  std::vector<Row> read(const std::string& path, const std::string& option) const;
  /// Appends to the file of --csv from now on, or makes it; ends a torn line. A file of another
  /// version, whose header begins alike, is set aside as PATH.old, with a line. Throws Refusal.
  void open(const std::string& path);
  bool is_open() const { return file_ >= 0; }
  /// Adds a row by one write, so that a killed program leaves whole rows. Throws Refusal if the disk is full.
  void append(const Row& row);

  /// The first line of a file.
  std::string header() const;

 private:
  void write(const std::string& line);

  Schema schema_;
  std::string path_;
  int file_ = -1;
};

/// A text as a cell holds it: blanks for commas, quotes and line ends.
std::string cell_text(std::string text);

}  // namespace course

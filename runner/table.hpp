// Reads and writes the CSV files: results, machine and rivals.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace course {

/// A column of a CSV file: its name, whether it is part of the key, its cell in one row.
struct Column {
  std::string name;
  bool is_key = false;
  std::string cell = {};
};
constexpr bool key = true, value = false;
using Schema = std::vector<Column>;  // the columns of one kind of file
std::vector<std::string> cells_of(const Schema& columns);

/// "a,b,c" → {"a", "b", "c"}; an empty item stays.
std::vector<std::string> split(std::string_view text, char separator = ',');

/// A CSV file's rows. Of rows with the same key the last one counts. Nothing is quoted: commas become blanks.
class Table {
 public:
  using Row = std::vector<std::string>;  // a cell for each column

  explicit Table(Schema schema) : schema_(std::move(schema)) {}
  ~Table();
  Table(const Table&) = delete;

  /// Reads the file at `path`, but for torn lines. Throws Refusal, naming `option`, if it cannot or the
  /// columns differ.
  void read(const std::string& path, const std::string& option);
  /// Reads the file of --csv, or makes it, and appends to it from now on. Throws Refusal if another Table has
  /// it open.
  void open(const std::string& path);
  bool is_open() const { return file_ >= 0; }

  /// Adds a row; to the file by one write, so that a killed program leaves whole rows. Throws Refusal if the
  /// disk is full.
  void append(Row row);

  /// The row with the key of this one, or nullptr.
  const Row* find(const Row& like) const;
  /// The rows by their keys.
  const std::map<std::string, Row>& rows() const { return rows_; }

  /// The first line of a file.
  std::string header() const;
  const std::string& cell(const Row& row, std::string_view column) const;
  double number(const Row& row, std::string_view column) const;  // 0 where there is none

 private:
  std::string key_of(const Row& row) const;
  void insert_lines(const std::string& content, const std::string& refusal);
  void insert(const Row& row);
  void write(const std::string& line);

  Schema schema_;
  std::string path_;
  int file_ = -1;
  std::map<std::string, Row> rows_;
};

/// A text as a cell holds it: blanks for commas, quotes and line ends.
std::string cell_text(std::string text);

}  // namespace course

// The course's CSV files: results, machine and rivals. One parser, one key, one --resume.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace course {

/// A column of a kind of file: its name, whether it tells one row from another, its cell in one row.
struct Column {
  std::string name;
  bool is_key = false;
  std::string cell = {};
};
constexpr bool key = true, value = false;
using Schema = std::vector<Column>;
std::vector<std::string> cells_of(const Schema& columns);

/// "a,b,c" → {"a", "b", "c"}; an empty item stays.
std::vector<std::string> split(std::string_view text, char separator = ',');

/// Rows of one schema. Of rows with the same key the last one counts. A file has no quoting: what would need
/// it becomes a blank.
class Table {
 public:
  using Row = std::vector<std::string>;  // a cell for each column

  explicit Table(Schema schema) : schema_(std::move(schema)) {}
  ~Table();
  Table(const Table&) = delete;

  /// Takes the rows of the file at `path`, without those that a crash tore. Throws Refusal, which begins with
  /// `option`, if it cannot be read or has other columns.
  void read(const std::string& path, const std::string& option);
  /// The same, and appends to the file from now on; makes it where there is none. Refuses a file that another
  /// Table has open. The option is --csv.
  void open(const std::string& path);
  bool is_open() const { return file_ >= 0; }

  /// Adds a row; to the file by one write, so that a killed program leaves whole rows. Throws Refusal when
  /// the disk is full.
  void append(Row row);

  /// The row that counts among those with the key of this one, or nullptr.
  const Row* find(const Row& like) const;
  /// The rows that count, by their keys.
  const std::map<std::string, Row>& rows() const { return rows_; }

  /// The first line of a file.
  std::string header() const;
  const std::string& cell(const Row& row, std::string_view column) const;
  double number(const Row& row, std::string_view column) const;  // 0 where there is none

 private:
  std::string key_of(const Row& row) const;
  void take_lines(const std::string& content, const std::string& refusal);
  void take(Row row);
  void write(const std::string& line);

  Schema schema_;
  std::string path_;
  int file_ = -1;
  std::map<std::string, Row> rows_;
};

/// What stands in a cell for this text.
std::string plain(std::string text);

}  // namespace course

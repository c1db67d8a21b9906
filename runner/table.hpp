// The course's CSV files: results, machine and rivals. One parser, one key, one rule, one --resume.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace course {

/// What a kind of file holds: its columns, and those of them that tell one row from another.
struct Schema {
  std::vector<std::string> columns, key;
};
/// A line of a list of columns, results.columns or machine.columns: {"step", key} or {"repeat"}.
struct Column {
  const char* name;
  bool is_key = false;
};
constexpr bool key = true;
Schema schema_of(const std::vector<Column>& columns);

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

  /// Takes the rows of the file at `path`; a torn one is passed over, one that lacks only its end of line is
  /// not. Throws Refusal, which begins with `option`, if it cannot be read or has other columns.
  void read(const std::string& path, const std::string& option);
  /// The same, and appends to it from now on; makes it where there is none, and cuts off a torn last line (a
  /// crash of the machine). Refuses a file that another Table has open. A file that it refuses stays as it
  /// was.
  void open(const std::string& path);
  bool is_open() const { return file_ >= 0; }

  /// Adds a row; to the file by one write, so that a killed program leaves whole rows. Throws Refusal when
  /// the disk is full; what was there before stays whole.
  void append(Row row);

  /// The row that counts among those with the key of this one, or nullptr.
  const Row* find(const Row& like) const;
  /// The rows that count, in the order of the file.
  std::vector<const Row*> rows() const;

  const std::string& cell(const Row& row, std::string_view column) const;
  double number(const Row& row, std::string_view column) const;  // 0 where there is none
  /// Whether a cell is what this text became in it.
  static bool same(const std::string& cell, const std::string& text);

 private:
  std::string key(const Row& row) const;
  void take(Row row);
  void write(const std::string& text);

  Schema schema_;
  static inline const std::string option_ = "--csv";  // what appends to a file is this option's
  std::string path_;
  int file_ = -1;
  std::size_t whole_ = 0, torn_ = 0;  // bytes of whole lines, and behind them
  bool unended_ = false;              // the last line is whole, but for its end
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> last_;  // by key: the row that counts
};

}  // namespace course

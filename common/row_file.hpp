// An append-only CSV file under one header; common/record.hpp and 00_machine write through it.
#pragma once

#include <string>
#include <vector>

namespace course {

/// The schema has no quoting: what would need it becomes a blank.
std::string csv_text(std::string value);

std::vector<std::string> split_cells(const std::string& line);

/// Each row is one write, so that a killed program leaves whole rows.
class RowFile {
 public:
  RowFile() = default;
  /// Opens or creates `path`; a torn last line (a crash of the machine) is cut off. Throws Refusal if it
  /// cannot be written or has other columns, and then leaves it as it was.
  RowFile(const std::string& path, const std::string& header);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  bool open() const { return file_ >= 0; }
  /// The cells of each whole row the file had when it was opened.
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  /// Writes one line. Throws Refusal when the disk is full; what was there before stays whole.
  void append(const std::string& line);

 private:
  std::string path_;
  int file_ = -1;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace course

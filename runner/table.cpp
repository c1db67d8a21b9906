#include "runner/table.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "runner/text.hpp"

namespace course {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

namespace {

/// There is no quoting: what would need it becomes a blank.
std::string plain(std::string cell) {
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; }, ' ');
  return cell;
}

}  // namespace

Table::~Table() {
  if (file_ >= 0) ::close(file_);
}

void Table::read(const std::string& path, const std::string& option) {
  path_ = path, option_ = option;
  std::ifstream file(path, std::ios::binary);
  struct stat before {};
  const std::string content(std::istreambuf_iterator<char>(file), {});
  if (!file || stat(path.c_str(), &before) != 0 || content.size() < static_cast<std::size_t>(before.st_size))
    throw Refusal{option + ": cannot read " + path};
  const std::string header = listed(schema_.columns, ",");
  const std::size_t whole = content.rfind('\n') + 1;  // npos + 1 is 0: no whole line
  const std::vector<std::string> lines = split(std::string_view(content).substr(0, whole), '\n');
  if (whole == 0 ? !header.starts_with(content) : lines[0] != header)
    throw Refusal{option + ": " + path + " has other columns than this course writes; it was left as it was"};
  for (std::size_t l = 1; l < lines.size(); ++l)
    if (Row cells = split(lines[l]); cells.size() == schema_.columns.size()) take(std::move(cells));
}

void Table::open(const std::string& path, const std::string& option) {
  path_ = path, option_ = option;
  struct stat before {};
  const bool regular = stat(path.c_str(), &before) == 0 && S_ISREG(before.st_mode);
  if (regular) read(path, option);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw Refusal{option + ": cannot write " + path + ": " + std::strerror(errno)};
  off_t whole = regular ? before.st_size : 0;
  for (char last = 0; whole > 0 && pread(file_, &last, 1, whole - 1) == 1 && last != '\n';) --whole;
  if (regular && whole < before.st_size) {
    std::cerr << option << ": the last line of " << path << " was torn; it is cut off\n";
    if (ftruncate(file_, whole) != 0)
      throw Refusal{option + ": cannot mend " + path + ": " + std::strerror(errno)};
  }
  if (whole == 0) write(listed(schema_.columns, ","));
}

void Table::append(Row row) {
  for (std::string& cell : row) cell = plain(cell);
  if (is_open()) write(listed(row, ","));
  take(std::move(row));
}

void Table::write(const std::string& text) {
  const std::string line = text + "\n";
  struct stat before {};
  fstat(file_, &before);
  const ssize_t written = ::write(file_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  const std::string why = written < 0 ? std::strerror(errno) : "no space left";
  const bool whole = written <= 0 || !S_ISREG(before.st_mode) || ftruncate(file_, before.st_size) == 0;
  throw Refusal{option_ + ": cannot write " + path_ + ": " + why + (whole ? "" : "; its last line is torn")};
}

void Table::take(Row row) {
  last_[key(row)] = rows_.size();
  rows_.push_back(std::move(row));
}

const Table::Row* Table::find(const Row& like) const {
  const auto found = last_.find(key(like));
  return found == last_.end() ? nullptr : &rows_[found->second];
}

std::vector<const Table::Row*> Table::rows() const {
  std::vector<const Row*> newest;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (last_.at(key(rows_[r])) == r) newest.push_back(&rows_[r]);
  return newest;
}

std::size_t Table::place(std::string_view column) const {
  const auto found = std::find(schema_.columns.begin(), schema_.columns.end(), column);
  if (found == schema_.columns.end()) throw std::logic_error("no column " + std::string(column));
  return static_cast<std::size_t>(found - schema_.columns.begin());
}

const std::string& Table::cell(const Row& row, std::string_view column) const {
  return row.at(place(column));
}

double Table::number(const Row& row, std::string_view column) const {
  const std::string& text = cell(row, column);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

bool Table::same(const std::string& cell, const std::string& text) {
  return cell == plain(text);
}

std::string Table::key(const Row& row) const {
  std::string key;
  for (const std::string& column : schema_.key) key += plain(cell(row, column)) + ",";
  return key;
}

}  // namespace course

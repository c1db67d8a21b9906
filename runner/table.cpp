#include "runner/table.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>

#include "runner/text.hpp"

namespace course {
namespace {

std::string plain(std::string cell) {
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; }, ' ');
  return cell;
}

/// Bytes of a regular file; -1 for anything else, or nothing.
off_t size_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : -1;
}

}  // namespace

Schema schema_of(const std::vector<Column>& columns) {
  Schema schema;
  for (const Column& column : columns) {
    schema.columns.push_back(column.name);
    if (column.is_key) schema.key.push_back(column.name);
  }
  return schema;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Table::~Table() {
  if (is_open()) ::close(file_);
}

void Table::read(const std::string& path, const std::string& option) {
  if (struct stat status{}; stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))
    throw Refusal{option + ": " + path + " is a pipe; give a file"};  // reading it would wait for a writer
  std::ifstream file(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  if (!file || static_cast<off_t>(content.size()) < size_of(path))
    throw Refusal{option + ": cannot read " + path};
  whole_ = content.rfind('\n') + 1;  // npos + 1 is 0: no whole line
  unended_ = whole_ > 0 && split(std::string_view(content).substr(whole_)).size() == schema_.columns.size();
  if (unended_) whole_ = content.size();
  torn_ = content.size() - whole_;
  const std::string header = listed(schema_.columns, ",");
  const std::vector<std::string> lines = split(std::string_view(content).substr(0, whole_), '\n');
  if (whole_ == 0 ? !header.starts_with(content) : lines[0] != header)
    throw Refusal{option + ": " + path + " has other columns than this course writes; it was left as it was"};
  for (std::size_t l = 1; l < lines.size(); ++l)
    if (Row cells = split(lines[l]); cells.size() == schema_.columns.size()) take(std::move(cells));
}

void Table::open(const std::string& path) {
  path_ = path;
  // A pipe that nobody reads would keep us waiting.
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (!is_open()) throw Refusal{option_ + ": cannot write " + path + ": " + std::strerror(errno)};
  fcntl(file_, F_SETFL, O_APPEND);
  if (size_of(path) >= 0) {
    // Until this program ends. Where files cannot be locked, nobody is kept out.
    if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw Refusal{option_ + ": another program writes " + path + " now; wait for it, or give another file"};
    read(path, option_);
  }
  if (torn_ > 0) {
    std::cerr << option_ << ": the last line of " << path << " was torn; it is cut off\n";
    if (ftruncate(file_, static_cast<off_t>(whole_)) != 0)
      throw Refusal{option_ + ": cannot mend " + path + ": " + std::strerror(errno)};
  }
  if (whole_ == 0) write(listed(schema_.columns, ","));
  if (unended_) write("");
}

void Table::append(Row row) {
  for (std::string& cell : row) cell = plain(cell);
  if (is_open()) write(listed(row, ","));
  take(std::move(row));
}

void Table::write(const std::string& text) {
  const std::string line = text + "\n";
  const off_t before = size_of(path_);
  const ssize_t written = ::write(file_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  const std::string why = written < 0 ? std::strerror(errno) : "no space left";
  const bool whole = written <= 0 || before < 0 || ftruncate(file_, before) == 0;
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
  for (const Row& row : rows_)
    if (find(row) == &row) newest.push_back(&row);
  return newest;
}

const std::string& Table::cell(const Row& row, std::string_view column) const {
  const auto found = std::find(schema_.columns.begin(), schema_.columns.end(), column);
  return row.at(static_cast<std::size_t>(found - schema_.columns.begin()));  // throws where there is none
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

#include "runner/table.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "runner/text.hpp"

namespace course {
namespace {

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string content_of(const std::string& path, const std::string& option) {
  std::ifstream file;
  if (is_regular(path)) file.open(path, std::ios::binary);  // to open a pipe would wait for a writer
  if (!file.is_open()) throw Refusal{option + ": cannot read " + path};
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::string plain(std::string text) {
  for (char& c : text)
    if (c == ',' || c == '"' || c == '\n' || c == '\r') c = ' ';
  return text;
}

std::vector<std::string> cells_of(const Schema& columns) {
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.cell);
  return cells;
}

Table::~Table() {
  if (is_open()) ::close(file_);
}

void Table::read(const std::string& path, const std::string& option) {
  take_lines(content_of(path, option), option + ": " + path);
}

void Table::open(const std::string& path) {
  path_ = path;
  // A pipe that nobody reads would keep us waiting.
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (!is_open()) throw Refusal{"--csv: cannot write " + path + ": " + std::strerror(errno)};
  fcntl(file_, F_SETFL, O_APPEND);
  if (!is_regular(path)) return write(header());
  // Until this program ends. Where files cannot be locked, nobody is kept out.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Refusal{"--csv: another program writes " + path + " now; wait for it, or give another file"};
  const std::string content = content_of(path, "--csv");
  if (header().starts_with(content)) {  // a new file, or one whose header was torn
    if (ftruncate(file_, 0) == 0) write(header());
    return;
  }
  take_lines(content, "--csv: " + path);
  if (!content.ends_with('\n')) write("");  // ends a torn line: no row, for want of cells
}

void Table::append(Row row) {
  for (std::string& cell : row) cell = plain(cell);
  if (is_open()) write(listed(row, ","));
  take(std::move(row));
}

void Table::write(const std::string& line) {
  const std::string text = line + "\n";
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written == std::ssize(text)) return;
  throw Refusal{"--csv: cannot write " + path_ + ": " +
                (written < 0 ? std::strerror(errno) : "no space left")};
}

void Table::take_lines(const std::string& content, const std::string& refusal) {
  const std::vector<std::string> lines = split(content, '\n');
  if (lines[0] != header())
    throw Refusal{refusal + " has other columns than this course writes; it was left as it was"};
  for (std::size_t l = 1; l < lines.size(); ++l)
    if (Row cells = split(lines[l]); cells.size() == schema_.size()) take(std::move(cells));
}

void Table::take(Row row) {
  const std::string key = key_of(row);
  rows_.insert_or_assign(key, std::move(row));
}

const Table::Row* Table::find(const Row& like) const {
  const auto found = rows_.find(key_of(like));
  return found == rows_.end() ? nullptr : &found->second;
}

std::string Table::header() const {
  std::vector<std::string> names;
  for (const Column& column : schema_) names.push_back(column.name);
  return listed(names, ",");
}

const std::string& Table::cell(const Row& row, std::string_view column) const {
  for (std::size_t c = 0; c < schema_.size(); ++c)
    if (schema_[c].name == column) return row.at(c);
  throw std::out_of_range(fmt::format("no column {}", column));
}

double Table::number(const Row& row, std::string_view column) const {
  const std::string& text = cell(row, column);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::string Table::key_of(const Row& row) const {
  std::string key;
  for (std::size_t c = 0; c < schema_.size(); ++c)
    if (schema_[c].is_key) key += plain(row.at(c)) + ",";
  return key;
}

}  // namespace course

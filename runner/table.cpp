#include "runner/table.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
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
  if (is_regular(path)) file.open(path, std::ios::binary);  // opening a pipe would wait for a writer
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

std::string cell_text(std::string text) {
  for (char& c : text)
    if (c == ',' || c == '"' || c == '\n' || c == '\r') c = ' ';
  return text;
}

std::vector<std::string> cells_of(const Schema& columns) {
  return texts(columns, [](const Column& column) { return column.cell; });
}

Table::~Table() {
  if (is_open()) ::close(file_);
}

void Table::read(const std::string& path, const std::string& option) {
  insert_lines(content_of(path, option), option + ": " + path);
}

void Table::open(const std::string& path) {
  path_ = path;
  // O_NONBLOCK: opening a pipe that nobody reads would wait.
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (!is_open()) throw Refusal{"--csv: cannot write " + path + ": " + std::strerror(errno)};
  fcntl(file_, F_SETFL, O_APPEND);
  if (!is_regular(path)) return write(header());
  // Locked until this program ends, if the file system has locks.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Refusal{"--csv: another program writes " + path + " now; wait for it, or give another file"};
  const std::string content = content_of(path, "--csv");
  if (header().starts_with(content)) {  // a new file, or one whose header was torn
    if (ftruncate(file_, 0) == 0) write(header());
    return;
  }
  insert_lines(content, "--csv: " + path);
  if (!content.ends_with('\n')) write("");  // ends a torn line: no row, for want of cells
}

void Table::append(Row row) {
  for (std::string& cell : row) cell = cell_text(cell);
  if (is_open()) write(joined(row, ","));
  insert(row);
}

void Table::write(const std::string& line) {
  const std::string text = line + "\n";
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written == std::ssize(text)) return;
  throw Refusal{"--csv: cannot write " + path_ + ": " +
                (written < 0 ? std::strerror(errno) : "no space left")};
}

void Table::insert_lines(const std::string& content, const std::string& refusal) {
  const std::vector<std::string> lines = split(content, '\n');
  if (lines[0] != header())
    throw Refusal{refusal + " has other columns than this course writes; it was left as it was"};
  for (std::size_t l = 1; l < lines.size(); ++l)
    if (const Row cells = split(lines[l]); cells.size() == schema_.size()) insert(cells);
}

void Table::insert(const Row& row) {
  rows_.insert_or_assign(key_of(row), row);
}

const Table::Row* Table::find(const Row& like) const {
  const auto found = rows_.find(key_of(like));
  return found == rows_.end() ? nullptr : &found->second;
}

std::string Table::header() const {
  return joined(texts(schema_, [](const Column& column) { return column.name; }), ",");
}

const std::string& Table::cell(const Row& row, std::string_view column) const {
  for (std::size_t c = 0; c < schema_.size(); ++c)
    if (schema_[c].name == column) return row.at(c);
  throw std::out_of_range(fmt::format("no column {}", column));
}

double Table::number(const Row& row, std::string_view column) const {
  double number = 0;
  return read_number(cell(row, column), number) == std::errc() ? number : 0;
}

std::string Table::key_of(const Row& row) const {
  std::string key;
  for (std::size_t c = 0; c < schema_.size(); ++c)
    if (schema_[c].is_key) key += cell_text(row.at(c)) + ",";
  return key;
}

}  // namespace course

#include "runner/table.hpp"

#include <fcntl.h>
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

/// Renames a file to PATH.old, PATH.old.old, … Throws Refusal.
void set_aside(const std::string& path) {
  std::string old = path;
  while (std::filesystem::exists(old)) old += ".old";
  if (std::rename(path.c_str(), old.c_str()) != 0)
    throw Refusal{fmt::format("--csv: cannot rename {}: {}", path, std::strerror(errno))};
  say(stderr, "--csv: {} has the columns of another version: it is {} now\n", path, old);
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

Table::~Table() {
  if (is_open()) ::close(file_);
}

std::vector<Table::Row> Table::read(const std::string& path, const std::string& option) const {
  const std::vector<std::string> lines = split(content_of(path, option), '\n');
  if (lines[0] != header())
    throw Refusal{option + ": " + path + " has other columns than this course writes"};
  std::vector<Row> rows;
  for (std::size_t l = 1; l < lines.size(); ++l)
    if (Row cells = split(lines[l]); cells.size() == schema_.size()) rows.push_back(std::move(cells));
  return rows;
}

void Table::open(const std::string& path) {
  path_ = path;
  std::string content = is_regular(path) ? content_of(path, "--csv") : "";
  if (!header().starts_with(content) && !content.starts_with(header() + "\n")) {
    const std::string first = header().substr(0, header().find(',', header().find(',') + 1));
    if (!content.starts_with(first))
      throw Refusal{"--csv: " + path + " has other columns than this course writes; it was left as it was"};
    set_aside(path), content.clear();
  }
  // O_NONBLOCK: a pipe would wait for a reader.
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  if (!is_open()) throw Refusal{"--csv: cannot write " + path + ": " + std::strerror(errno)};
  fcntl(file_, F_SETFL, O_APPEND);
  if (header().starts_with(content)) {  // a new file, a pipe, or a header that was torn
    if (!is_regular(path) || ftruncate(file_, 0) == 0) write(header());
    return;
  }
  if (!content.ends_with('\n')) write("");  // ends a torn line: no row, for want of cells
}

void Table::append(const Row& row) {
  if (is_open()) write(joined(texts(row, cell_text), ","));
}

void Table::write(const std::string& line) {
  const std::string text = line + "\n";
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written == std::ssize(text)) return;
  throw Refusal{"--csv: cannot write " + path_ + ": " +
                (written < 0 ? std::strerror(errno) : "no space left")};
}

std::string Table::header() const {
  return joined(texts(schema_, [](const Column& column) { return column.name; }), ",");
}

}  // namespace course

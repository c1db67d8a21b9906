#include "common/row_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/record.hpp"

namespace course {

std::string csv_text(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; }, ' ');
  return value;
}

std::vector<std::string> split_cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line + ",");
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

RowFile::RowFile(const std::string& path, const std::string& header) : path_(path) {
  struct stat before {};
  const bool exists = stat(path.c_str(), &before) == 0;
  std::string content;
  if (exists && S_ISREG(before.st_mode)) {
    std::ifstream reader(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(reader), {});
    if (!reader || content.size() < static_cast<std::size_t>(before.st_size))
      throw Refusal{"--csv: cannot read " + path + ", so that the rows it has are unknown"};
    const bool torn_header = content.find('\n') == std::string::npos && header.starts_with(content);
    if (!torn_header && content.substr(0, content.find('\n')) != header)
      throw Refusal{"--csv: " + path + " has other columns than this course writes; it was left as it was"};
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw Refusal{"--csv: cannot write " + path + ": " + std::strerror(errno)};
  const std::size_t whole = content.rfind('\n') + 1;  // npos + 1 is 0: no whole line
  if (whole < content.size()) {
    std::cerr << "--csv: the last line of " << path << " was torn; it is cut off\n";
    if (ftruncate(file_, static_cast<off_t>(whole)) != 0)
      throw Refusal{"--csv: cannot mend " + path + ": " + std::strerror(errno)};
  }
  content.resize(whole);
  if (content.empty()) append(header);
  std::istringstream lines(content);
  std::string line;
  std::getline(lines, line);
  const std::size_t columns = split_cells(header).size();
  while (std::getline(lines, line))
    if (std::vector<std::string> cells = split_cells(line); cells.size() == columns)
      rows_.push_back(std::move(cells));
}

RowFile::~RowFile() {
  if (file_ >= 0) close(file_);
}

void RowFile::append(const std::string& line) {
  const std::string text = line + "\n";
  struct stat before {};
  fstat(file_, &before);
  const ssize_t written = write(file_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const std::string why = written < 0 ? std::strerror(errno) : "no space left";
  const bool whole = written <= 0 || !S_ISREG(before.st_mode) || ftruncate(file_, before.st_size) == 0;
  throw Refusal{"--csv: cannot write " + path_ + ": " + why + (whole ? "" : "; its last line is torn")};
}

}  // namespace course

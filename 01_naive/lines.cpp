// What a line from beyond the first level costs, by the distance between the lines: the experiment of
// README.md, or of the rows asked for: 01_naive_lines [STRIDE,LINES …]. Prints CSV. Status 1: a walk went
// wrong; 2: the command line.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "common/stopwatch.hpp"

namespace {

// [walks]
struct Line {
  Line* next;
  float number;
};

/// The next address lies in the line before: one line is on its way at a time.
Line* in_turn(Line* at, int lines) {
  for (; lines > 0; --lines) at = at->next;
  return at;
}

/// All addresses are known: several lines may be on their way. Four chains of additions, so that none waits.
float at_once(const char* first, std::ptrdiff_t stride, int lines) {
  float sum[4] = {};
  for (int p = 0; p < lines; p += 4)
    for (int s = 0; s < 4; ++s) sum[s] += reinterpret_cast<const Line*>(first + (p + s) * stride)->number;
  return sum[0] + sum[1] + sum[2] + sum[3];
}
// [/walks]

// [shuffled]
/// at_once where nobody can foresee the next address from those before: no line is fetched ahead.
float at_once_shuffled(const char* first, std::ptrdiff_t stride, const int* order, int lines) {
  float sum[4] = {};
  for (int p = 0; p < lines; p += 4)
    for (int s = 0; s < 4; ++s)
      sum[s] += reinterpret_cast<const Line*>(first + order[p + s] * stride)->number;
  return sum[0] + sum[1] + sum[2] + sum[3];
}
// [/shuffled]

/// Nanoseconds a line: the median of 25 times of 40 walks. `walk` says whether it went well.
template <class Walk>
double nanoseconds(int lines, bool& well, const Walk& walk) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 25; ++repeat) {
    const course::Stopwatch watch;
    for (int again = 0; again < 40; ++again) {
      well &= walk();
      asm volatile("" ::: "memory");  // or one walk would do for all: they find the same
    }
    times.push_back(watch.seconds() / 40 / lines * 1e9);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// `lines` lines, `stride` bytes from each to the next; in an order that nobody can foresee, in turn and all
/// at once, and walked down.
bool row(std::ptrdiff_t stride, int lines) {
  constexpr std::ptrdiff_t page = 4096;
  std::vector<char> memory(static_cast<std::size_t>(stride * lines + page));
  char* const first = memory.data() + (page - reinterpret_cast<std::intptr_t>(memory.data()) % page) % page;
  const auto line = [&](int p) { return reinterpret_cast<Line*>(first + p * stride); };
  std::vector<int> order(static_cast<std::size_t>(lines));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(987654));
  for (std::size_t o = 0; o < order.size(); ++o)
    *line(order[o]) = {line(order[(o + 1) % order.size()]), 1.0f};
  bool well = lines % 4 == 0;
  const double turn = nanoseconds(lines, well, [&] { return in_turn(line(0), lines) == line(0); });
  const double once =
      nanoseconds(lines, well, [&] { return at_once(first, stride, lines) == static_cast<float>(lines); });
  const double shuffled = nanoseconds(lines, well, [&] {
    return at_once_shuffled(first, stride, order.data(), lines) == static_cast<float>(lines);
  });
  std::printf("%td,%d,%.3g,%.3g,%.3g\n", stride, lines, turn, once, shuffled);
  return well;
}

/// "8192,384": a distance and a count that the walks can do with. False: the text is nothing of the kind.
bool parse(std::string_view text, std::ptrdiff_t& stride, int& lines) {
  const char* const end = text.data() + text.size();
  const auto [comma, no_stride] = std::from_chars(text.data(), end, stride);
  if (no_stride != std::errc() || comma == end || *comma != ',') return false;
  const auto [last, no_lines] = std::from_chars(comma + 1, end, lines);
  return no_lines == std::errc() && last == end && stride >= 16 && stride <= 1 << 20 && stride % 16 == 0 &&
         lines >= 4 && lines <= 4096 && lines % 4 == 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::pair<std::ptrdiff_t, int>> rows(static_cast<std::size_t>(std::max(count - 1, 0)));
  for (int r = 0; r + 1 < count; ++r)
    if (auto& [stride, lines] = rows[static_cast<std::size_t>(r)]; !parse(arguments[r + 1], stride, lines)) {
      std::fprintf(stderr,
                   "01_naive_lines: '%s' is not STRIDE,LINES, such as 8192,384; a stride of 16 to 1048576 "
                   "bytes, a multiple of 16; 4 to 4096 lines, a multiple of 4\n",
                   arguments[r + 1]);
      return 2;
    }
  if (rows.empty())
    rows = {{4000, 1000}, {4096, 1024}, {4096, 64}, {1024, 256}, {2048, 256}, {8000, 2000}, {8192, 2048}};
  std::printf("stride,lines,in_turn_ns,at_once_ns,at_once_shuffled_ns\n");
  bool well = true;
  for (const auto& [stride, lines] : rows) well &= row(stride, lines);
  return well ? 0 : 1;
}

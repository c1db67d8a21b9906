// What a launch asks for. launch.hpp and emulator.hpp stand on it.
#pragma once

#include "common/view.hpp"

namespace course {

/// How many blocks, and how many threads in each; x counts fastest. Two types, so that swapping them does not
/// compile.
struct Grid {
  Index x = 0, y = 1;
};
struct Block {
  Index x = 0, y = 1;
};

/// The last launch as it was asked for: whoever started it compares it with what was meant.
inline struct Launched {
  Grid grid;
  Block block;
  void (*kernel)() = nullptr;  // its address only: the parameters are left out
} launched;

constexpr Index ceil_div(Index dividend, Index divisor) {
  return (dividend + divisor - 1) / divisor;
}

/// What CUDA allows of blocks in a grid's y; in x there may be 2^31 - 1.
constexpr Index most_blocks_in_y = 65535;

}  // namespace course

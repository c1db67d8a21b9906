// The sizes of a launch: a grid of blocks of threads.
#pragma once

#include "common/view.hpp"

namespace course {

/// Numbers of blocks in a grid; x counts fastest. Grid and Block are two types so that swapping them does not
/// compile.
struct Grid {
  Index x = 0, y = 1;
};
/// Numbers of threads in a block, and the bytes of shared memory that it asks for as it is launched.
struct Block {
  Index x = 0, y = 1, shared = 0;
};

/// This host thread's last launch, for comparison with the settings.
inline thread_local struct Launched {
  Grid grid;
  Block block;
} launched;

/// CUDA's limit of blocks in a grid's y; in x it is 2^31 - 1.
constexpr Index most_blocks_in_y = 65535;

}  // namespace course

// The rungs in their order, a file each: the first line names the idea, and `diff` of two neighbours shows
// it.
#pragma once

// clang-format off
#include "rungs/column.cuh"
#include "rungs/square.cuh"
#include "rungs/transposed.cuh"
#include "rungs/vectorised.cuh"
#include "rungs/conflict_free.cuh"
#include "rungs/double_buffered.cuh"
#include "rungs/kept_addresses.cuh"
#include "rungs/async_copies.cuh"
#include "rungs/warp_tiles.cuh"
#include "rungs/fragments_ahead.cuh"
#include "rungs/serpentine.cuh"
#include "rungs/tiled.cuh"
#include "rungs/stream_k.cuh"
#include "rungs/packed.cuh"
#include "rungs/any_rows.cuh"
#include "rungs/split_k.cuh"
#include "rungs/vectors.cuh"
// clang-format on

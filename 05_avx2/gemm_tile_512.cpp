// gemm_tile.cpp once more with vectors twice as wide: what their width gains by itself. Compiled for AVX-512.
#include "space.hpp"
#include "vector.hpp"

#define avx2_tile wide_tile
#define register_tile tile_512
#define blocked blocked_512
#define packed packed_512
#include "gemm_tile.cpp"

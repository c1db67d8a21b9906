// 05_avx2: the vector unit by hand, from eight lanes in the inner loop to the speed of the libraries.
#include "broken.hpp"
#include "common/cpu.hpp"
#include "cost.hpp"
#include "runner/run.hpp"

// Arguments for a row: how large a cache each of the threads may count on, and a single thread.
constexpr auto caches = [](const auto& call) { return avx2::caches_here(call.settings.threads); };
constexpr auto one = [](const auto&) { return 1; };

template <class T>
course::Variants<T> variants() {
  using namespace avx2;
  using course::broken, course::cpu, course::on, course::threads, course::transposed_b;
  const auto textbook = cost::textbook<T>(avx2_tile, caches_here(1)),
             textbook_512 = cost::textbook<T>(wide_tile, caches_here(1));
  const auto narrow = cost::tuned<T>(avx2_tile, caches_here(1)),
             wide = cost::tuned<T>(avx512_tile, caches_here(1));
  course::Variants<T> list = {
      cpu<T>("ikj_avx2", "02's ikj with lanes by hand", ikj_avx2<T>, cost::ikj<T>, threads),
      cpu<T>("dot_avx2", "02's transposed with lanes, and a horizontal sum", dot_avx2<T>, cost::dot<T>,
             transposed_b, threads),
      cpu<T>("register_tile", "a tile of C in registers", register_tile<T>, cost::register_tile<T>),
      cpu<T>("blocked", "the tile in blocks that fit the caches", blocked<T>, textbook, caches),
      cpu<T>("packed", "the blocks copied to where they are read", packed<T>, textbook, caches),
      cpu<T>("tuned", "packed, with edges, fetches and copies tuned", tuned<T>, narrow, caches, one),
      cpu<T>("tuned_threads", "tuned, C in a grid of threads", tuned<T>, narrow, caches, threads),
      broken(cpu<T>("edge_lost", "whole tiles only", wrong::edge_lost<T>)),
      broken(cpu<T>("stale_block", "B packed for the first block of k only", wrong::stale_block<T>)),
      broken(cpu<T>("short_mask", "a mask that is a lane short", wrong::short_mask<T>)),
      broken(cpu<T>("one_column_too_far", "j <= n", wrong::one_column_too_far<T>)),
      broken(cpu<T>("one_row_too_far", "i <= m", wrong::one_row_too_far<T>)),
  };
  if constexpr (std::is_floating_point_v<T>)  // of integers, what lies behind a row would overflow
    list.push_back(broken(cpu<T>("unmasked", "reads beyond the end of a row", wrong::unmasked<T>,
                                 course::uncounted, transposed_b)));
  for (auto& variant : list) on("avx2", avx2_needs, variant);
  for (auto& variant : {
           cpu<T>("tile_512", "register_tile with vectors of 64 bytes", tile_512<T>,
                  cost::register_tile<T, wide_tile>),
           cpu<T>("blocked_512", "blocked with vectors of 64 bytes", blocked_512<T>, textbook_512, caches),
           cpu<T>("packed_512", "packed with vectors of 64 bytes", packed_512<T>, textbook_512, caches),
           cpu<T>("avx512", "tuned with wider registers, and more", avx512<T>, wide, caches, one),
           cpu<T>("avx512_threads", "avx512, C in a grid of threads", avx512<T>, wide, caches, threads),
       })
    list.push_back(on("avx512", avx512_needs, variant));
  return list;
}

int main(int argc, char** argv) {
  return course::run(argc, argv, COURSE_STEP("the vector unit"));
}

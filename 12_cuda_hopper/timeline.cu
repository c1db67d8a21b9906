// When the groups of a block of ordered and of ping_pong multiply and add, by their SM's clock, as lines of
// CSV, n = 4096. The kernels are the rungs': what they call is replaced by what notes the clock besides.
//   build/12_cuda_hopper/12_cuda_hopper_timeline
#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "common/fill.hpp"
#include "gpu/cuda.hpp"
#include "pipeline.cuh"

namespace cuda_hopper {
namespace {

/// Of a tile: its first products can begin; its last have begun, and the turn is passed on; all are done; the
/// last sums are handed to TMA.
enum Event { begins, passes, finishes, added, events };
constexpr int blocks = 8, groups = 3, slots = 2048;  // of the grid; consumers, producer; and cycles of each
/// The clock at an event, in the slot of that time: no thread need count its tiles.
__device__ long long clocks[blocks][groups][events][slots];

__device__ void note(Event event) {
  if (threadIdx.x % 128 != 0 || blockIdx.x >= blocks) return;
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  clocks[blockIdx.x][threadIdx.x / 128][event][now / slots % slots] = now;
}

__device__ void noted_produce(auto& ring, auto& state, int steps, auto begin) {
  wait(ring.empty[state.stage], state.parity ^ 1);
  note(begins);
  produce(ring, state, steps, begin);
  note(finishes);
}
template <int BN, int depth>
__device__ void noted_consume(FragmentC (&sum)[BN / 8], Ring<BN, depth>& ring, PipelineState<depth>& state,
                              int g, int steps) {
  wait(ring.full[state.stage], state.parity);
  note(begins);
  consume(sum, ring, state, g, steps);
  note(finishes);
}
template <class Cluster>
__device__ void noted_in_order(auto& ring, auto& state, auto& order, int steps, auto begin, auto finish) {
  const auto noted_begin = [&](const auto& stage, int step) {
    if (step == 0) note(begins);
    begin(stage, step);
  };
  const auto noted_finish = [&] { note(passes), finish(), note(finishes); };
  consume_in_order<Cluster>(ring, state, order, steps, noted_begin, noted_finish);
}
template <int BN, bool reused = true, int buffers>
__device__ void noted_add(const CUtensorMap& c, int i, int j, const FragmentC (&sum)[BN / 8],
                          Boxes<buffers>& boxes) {
  add_by_tma<BN, reused>(c, i, j, sum, boxes);
  note(added);
}

}  // namespace
}  // namespace cuda_hopper

#define produce noted_produce
#define consume noted_consume
#define consume_in_order noted_in_order
#define add_by_tma noted_add
#include "as_library.cu"

namespace cuda_hopper {
namespace {

long long seen[blocks][groups][events][slots];

/// A line for each tile of a group, in cycles since the block's first event; whether each group noted some.
bool print(const char* variant, bool in_turns) {
  using Noted = std::pair<long long, int>;
  for (int block = 0; block < blocks; ++block) {
    std::vector<Noted> noted[groups];
    long long first = std::numeric_limits<long long>::max();
    for (int group = 0; group < groups; ++group) {
      for (int event = 0; event < events; ++event)
        for (const long long clock : seen[block][group][event])
          if (clock > 0) noted[group].push_back({clock, event}), first = std::min(first, clock);
      if (noted[group].empty()) return false;
      std::sort(noted[group].begin(), noted[group].end());
    }
    for (int group = 0; group < groups; ++group) {
      int tile = in_turns && group == 1 ? 1 : 0;
      for (auto at = noted[group].begin(); at != noted[group].end();) {
        long long of[events] = {-1, -1, -1, -1};
        do of[at->second] = at->first - first;
        while (++at != noted[group].end() && at->second != begins);
        std::printf("%s,%d,%s,%d", variant, block, group == 2 ? "producer" : group == 1 ? "1" : "0", tile);
        for (const long long cycle : of) cycle < 0 ? std::printf(",") : std::printf(",%lld", cycle);
        std::printf("\n");
        tile += in_turns && group < 2 ? 2 : 1;
      }
    }
  }
  return true;
}

bool run() {
  using course::check, course::Cuda, course::Memory;
  constexpr Index n = 4096;
  std::vector<bf16> host(n * n);
  Cuda::Matrix<bf16> a(n, n, 0, Memory::device), b(n, n, 0, Memory::device);
  Cuda::Matrix<float> c(n, n, 0, Memory::device);
  for (const auto& [matrix, name] : {std::pair{a.view(), 'A'}, {b.view(), 'B'}}) {
    fill_matrix(View<bf16>{host.data(), n, n, n}, course::Fill::uniform, 987654, name);
    Cuda::transfer<bf16>({host.data(), n, n, n}, matrix);
  }
  std::printf("variant,block,group,tile,begins,passes,finishes,added\n");
  for (const auto& [variant, name] :
       {std::pair{HopperVariant::ordered, "ordered"}, {HopperVariant::ping_pong, "ping_pong"}}) {
    double seconds = 0;
    for (int time = 0; time < 3; ++time) {  // the last counts
      std::fill_n(&seen[0][0][0][0], sizeof seen / sizeof(long long), 0);
      check(cudaMemcpyToSymbol(clocks, seen, sizeof seen));
      seconds = Cuda::seconds_of([&] { gemm(variant, a.view(), b.view(), c.view()); });
    }
    check(cudaMemcpyFromSymbol(seen, clocks, sizeof seen));
    if (!print(name, variant == HopperVariant::ping_pong)) return false;
    std::fprintf(stderr, "%s: %.1f us\n", name, 1e6 * seconds);
  }
  return true;
}

}  // namespace
}  // namespace cuda_hopper

int main() {
  if (const std::string missing = course::Cuda::missing(90, true); !missing.empty())
    return std::fprintf(stderr, "12_cuda_hopper_timeline: %s\n", missing.c_str()), 77;
  if (!cuda_hopper::run()) return std::fprintf(stderr, "12_cuda_hopper_timeline: a group noted nothing\n"), 1;
}

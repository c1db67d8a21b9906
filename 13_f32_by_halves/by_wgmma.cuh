// 13: f32 products by wgmma, from compute capability 9.0 on. Against persistent: all products of parts that a
// stage has; short sums, which f32 units promote, while the other group of consumers multiplies. Run:
// build/13_f32_by_halves/13_f32_by_halves --type f32 --size 4096
#pragma once

#include "12_cuda_hopper/pipeline.cuh"
#include "split.cuh"

namespace f32_by_halves {

using namespace cuda_hopper;

// Named barriers of both groups of consumers: group g goes on at first_turn + g when the other has arrived
// there.
constexpr int first_turn = 1, meeting = 3, both_groups = 256;  // … and their threads

/// How a block makes a tile of rows_ × BN_ of C. Of 128 rows each group of consumers makes 64, by all of k;
/// of 64 both make all, by half of k. In a cluster of two, blocks share B's tiles.
template <class S_, int rows_, int BN_, int depth_, int buffers_, class Cluster_ = ClusterShape<1>>
struct PartsTile {
  using S = S_;
  using Cluster = Cluster_;
  static constexpr int rows = rows_, BN = BN_, depth = depth_, buffers = buffers_;
  static constexpr bool halves_k = rows == 64;
  static constexpr int stage_k = S::parts * S::step, stages_a_turn = 64 / S::step;
  struct Stage {
    SharedTile<typename S::Half, rows, 64> a[stage_k / 64];
    SharedTile<typename S::Half, stage_k, 64> b[BN / 64];
  };
  struct alignas(1024) Shared {
    Stage stage[depth];
    Boxes<buffers> boxes;
    float factors[depth][BN];
    Barrier full[depth], empty[depth];
  };
};

/// C, whether TMA can add to it, its tiles or those of a cluster, and how many turns of 64 of k each takes;
/// what stops the product, and where it says so.
struct Arguments {
  View<float> c;
  bool by_tma;
  TileScheduler scheduler;
  int turns;
  unsigned refused, *report;
};

/// The producer, one thread. It does not wait to hear whether the product is refused, but begins a turn's
/// stages.
template <class T, class S>
__device__ void produce_parts(typename T::Shared& shared, const CUtensorMap& a, const CUtensorMap& b,
                              const Parts<S>& parts, const Arguments& args, bool refused) {
  PipelineState<T::depth> state;
  const int stages_a_slice = parts.slice / S::step;
  int begun = 0;
  for (int tile = int(blockIdx.x) / T::Cluster::blocks; tile < args.scheduler.tiles();
       tile += int(gridDim.x) / T::Cluster::blocks) {
    const auto [row, col] = T::Cluster::at(args.scheduler, tile);
    const int i = row * T::rows, j = col * T::BN;
    const float* factors = parts.b_factors.data() + j;
    for (int step = 0; step < args.turns * T::stages_a_turn; ++step, ++state) {
      auto& stage = shared.stage[state.stage];
      auto& full = shared.full[state.stage];
      wait(shared.empty[state.stage], state.parity ^ 1);
      const bool with_factors = S::scaled && (step + 1) % T::stages_a_turn == 0;  // once a turn
      arrive_expect(full, int(sizeof stage) + (with_factors ? T::BN * 4 : 0));
#pragma unroll
      for (int s = 0; s < T::stage_k / 64; ++s)
        bulk_load(stage.a[s], a, step * T::stage_k + 64 * s, i, 0, full);
#pragma unroll
      for (int s = 0; s < T::BN / 64; ++s)
        if constexpr (T::Cluster::blocks == 1) {
          bulk_load(stage.b[s], b, j + 64 * s, step * T::stage_k, 0, full);
        } else {
          const int half = T::stage_k / 2 * cluster_rank();
          bulk_load_for_both(stage.b[s][half], b, j + 64 * s, step * T::stage_k + half, 0, full);
        }
      if constexpr (S::scaled) {
        if (with_factors) bulk_load(shared.factors[state.stage], factors, T::BN * 4, full);
        if (((step + 1) & (stages_a_slice - 1)) == 0 && step + 1 < int(parts.steps()))
          factors += parts.b_factors.ld();
      }
      if (++begun != T::stages_a_turn || !refused) continue;
      for (int s = 0; s < begun; ++s)
        wait(shared.full[s], 0);  // nothing may arrive after the block has ended
      return;
    }
  }
}

/// A group's turn: it begins the products of 64 of k behind those of the other group, which are under way
/// while this one promotes its sums.
template <class T>
__device__ void begin_turn(FragmentC (&recent)[T::BN / 8], typename T::Shared& shared,
                           PipelineState<T::depth> state, int g, bool add) {
  using S = typename T::S;
  std::uint64_t a[T::stages_a_turn], b[T::stages_a_turn];  // before the turn: they take a while
#pragma unroll
  for (int s = 0; s < T::stages_a_turn; ++s, ++state) {
    auto& stage = shared.stage[state.stage];
    a[s] = describe(&stage.a[0][T::halves_k ? 0 : 64 * g]),
    b[s] = describe(&stage.b[0], int(sizeof stage.b[0]));
    wait(shared.full[state.stage], state.parity);
  }
  // [turn]
  sync_named<both_groups>(first_turn + g);  // waits for its turn
  wgmma_fence();
#pragma unroll
  for (int s = 0; s < T::stages_a_turn; ++s)
#pragma unroll
    for (int product = 0; product < S::products; ++product)
#pragma unroll
      for (int q = 0; q < S::step; q += 16) {  // a descriptor counts in 16 bytes
        const int a_q = S::a_part(product) * S::step + q, b_q = S::b_part(product) * S::step + q;
        ptx::wgmma<typename S::Half, T::BN>(recent, a[s] + unsigned(a_q / 64 * T::rows * 8 + a_q % 64 / 8),
                                            b[s] + unsigned(b_q * 8), add || s > 0 || product > 0 || q > 0);
      }
  wgmma_commit();
  arrive_named<both_groups>(first_turn + 1 - g);  // passes the turn on
  // [/turn]
}

/// Adds a slice's sums, those of each column times its factor, to those of all.
template <class S, int BN>
__device__ void promote(FragmentC (&sum)[BN / 8], const FragmentC (&recent)[BN / 8],
                        const float (&factors)[BN]) {
#pragma unroll
  for (int s = 0; s < BN / 8; ++s) {
    const int j = 8 * s + int(threadIdx.x) % 4 * 2;
    const float2 factor = S::scaled ? reinterpret_cast<const float2&>(factors[j]) : float2{1, 1};
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[s].of[e] += recent[s].of[e] * (e % 2 == 0 ? factor.x : factor.y);
  }
}

/// Both groups have half of the sums: the first one gets all, by way of the boxes of the other.
template <int BN, int buffers>
__device__ void hand_over(FragmentC (&sum)[BN / 8], Boxes<buffers>& boxes, int g) {
  static_assert(buffers * 32 >= BN);
  float* const mine = &boxes.of_warp[4 + threadIdx.x / 32 % 4][0][0][threadIdx.x % 32];
  if (g == 1)
#pragma unroll
    for (int e = 0; e < BN / 2; ++e) mine[32 * e] = sum[e / 4].of[e % 4];
  sync_named<both_groups>(meeting);
  if (g == 0)
#pragma unroll
    for (int e = 0; e < BN / 2; ++e) sum[e / 4].of[e % 4] += mine[32 * e];
  sync_named<both_groups>(meeting);
}

/// A warp's sums of a tile, in boxes of 16 × 32, which TMA adds to C one by one: all at once would delay the
/// copies for the next tile.
template <int BN, int buffers>
struct Boxed {
  SharedTile<float, 16, 32> (&boxes)[buffers];
  int i = 0, j = 0, next = BN / 32;  // which is to be added next

  __device__ void add_one(const CUtensorMap& c) {
    if (next == BN / 32) return;
    if (threadIdx.x % 32 == 0) bulk_add(c, j + 32 * next, i, 0, boxes[next % buffers]), bulk_commit();
    ++next;
  }
  __device__ void add_to(const CUtensorMap& c, int end = BN / 32) {
    while (next < end) add_one(c);
  }
  __device__ void write(const CUtensorMap& c, int i_, int j_, const FragmentC (&sum)[BN / 8]) {
    add_to(c);
    i = i_, j = j_, next = 0;
#pragma unroll
    for (int s = 0; s < BN / 32; ++s) {
      if (s % buffers == 0) {
        add_to(c, s);
        if (threadIdx.x % 32 == 0) bulk_wait_read<0>();
        __syncwarp();  // what was in the boxes has gone
      }
      write_box(boxes[s % buffers], sum, s);
      if ((s + 1) % buffers == 0 || s + 1 == BN / 32) fence_async(), __syncwarp();  // all lanes have written
    }
  }
};

/// A group of consumers.
template <class T, class S>
__device__ void consume_parts(typename T::Shared& shared, const CUtensorMap& c, const Parts<S>& parts,
                              const Arguments& args, int g) {
  constexpr int BN = T::BN;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const int turns = args.turns / (T::halves_k ? 2 : 1), turns_a_slice = T::halves_k ? 1 : parts.slice / 64;
  const auto release = [&](PipelineState<T::depth>& state) {
    T::Cluster::release(shared.empty[state.stage]), ++state;
  };
  PipelineState<T::depth> state;
  if (g == 1) arrive_named<both_groups>(first_turn);
  if (T::halves_k && g == 1) state.skip(T::stages_a_turn);
  Boxed<BN, T::buffers> boxed{shared.boxes.of_warp[warp]};
  FragmentC recent[BN / 8] = {};
  for (int tile = int(blockIdx.x) / T::Cluster::blocks; tile < args.scheduler.tiles();
       tile += int(gridDim.x) / T::Cluster::blocks) {
    const auto [row, col] = T::Cluster::at(args.scheduler, tile);
    const int i = row * T::rows + warp % (T::rows / 16) * 16, j = col * BN;
    int a_scale[2] = {};
    if constexpr (S::scaled)
      for (int e = 0; e < 2; ++e)
        if (const int of_row = i + lane / 4 + 8 * e; of_row < args.c.rows())
          a_scale[e] = parts.a_scales[of_row];
    FragmentC sum[BN / 8] = {};
    bool add = false;
    for (int turn = 0; turn < turns; ++turn) {
      begin_turn<T>(recent, shared, state, g, add);
      wgmma_wait<0>();
      fence_registers(recent);
#pragma unroll
      for (int s = 1; s < T::stages_a_turn; ++s) release(state);
      add = ((turn + 1) & (turns_a_slice - 1)) != 0 && turn + 1 < turns;
      if (!add) promote<S, BN>(sum, recent, shared.factors[state.stage]), __syncwarp();
      release(state);
      if (T::halves_k) state.skip(T::stages_a_turn);
      boxed.add_one(c);
    }
    if constexpr (T::halves_k) hand_over<BN>(sum, shared.boxes, g);
    if (T::halves_k && g == 1) continue;
    if constexpr (S::scaled)
      for (int e = 0; e < 2; ++e) {
        const Power back = unscale(a_scale[e]);
#pragma unroll
        for (FragmentC& each : sum)
#pragma unroll
          for (int q = 2 * e; q < 2 * e + 2; ++q) each.of[q] = each.of[q] * back.first * back.second;
      }
    if (args.by_tma)
      boxed.write(c, i, j, sum);
    else
      add_by_rows<BN>(args.c, i, j, sum, shared.boxes.of_warp[warp][0], true);
  }
  if (g == 0) sync_named<both_groups>(first_turn);  // which the other has passed on
  boxed.add_to(c);
  if (lane == 0) bulk_wait_read<0>();
}

/// C += A·B of the parts that the pass before has split. Does nothing if that pass found one of `refused`;
/// says in `report` what it found.
template <class T, class S>
__global__ __launch_bounds__(with_producer, 1) void by_wgmma(const __grid_constant__ CUtensorMap a,
                                                             const __grid_constant__ CUtensorMap b,
                                                             const __grid_constant__ CUtensorMap c,
                                                             const __grid_constant__ Parts<S> parts,
                                                             const __grid_constant__ Arguments args) {
  auto& shared = shared_memory<typename T::Shared>();
  const int warpgroup = int(threadIdx.x) / 128;
  prepare<typename T::Cluster>(shared.full, shared.empty, T::halves_k ? 4 : consumers);
  ptx::wait_for_kernels_before<true>();
  const unsigned found = *parts.found;
  const bool refused = (found & args.refused) != 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) SystemWord{*args.report}.store(found | reported, relaxed);
  if (warpgroup == 2) {
    registers_down<40>();
    if (threadIdx.x == 256) produce_parts<T>(shared, a, b, parts, args, refused);
  } else if (!refused) {
    registers_up<232>();
    consume_parts<T>(shared, c, parts, args, warpgroup);
  }
  T::Cluster::part();  // nobody copies to a block, or arrives there, that has ended
}

}  // namespace f32_by_halves

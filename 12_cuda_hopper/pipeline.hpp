// Who waits for whom, in plain C++: kernels compile this, and so does tests/12_cuda_hopper/turns_test.cpp,
// which lets ping_pong's producer and both groups go on in every order. It needs wait(barrier, parity), and
// Cluster::release(barrier) and Cluster::pass(barrier), once a warp.
#pragma once

#ifdef __CUDACC__
#define COURSE_DEVICE __device__
#else
#define COURSE_DEVICE
#endif

namespace cuda_hopper {

/// A place in the ring: the stage that is next, and the parity of its barriers' phase.
template <int depth>
struct PipelineState {
  int stage = 0;
  unsigned parity = 0;
  COURSE_DEVICE void operator++() {
    if (++stage == depth) stage = 0, parity ^= 1;
  }
  /// Skips so many stages, which are the other group's.
  COURSE_DEVICE void skip(int stages) {
    stage += stages;
    parity ^= unsigned(stage / depth % 2);
    stage %= depth;
  }
};

/// Makes two groups take turns. `turn[g]` ends a phase when the other group has passed the turn to g; the
/// first group begins.
template <class Barrier>
struct OrderedBarrier {
  Barrier (&turn)[2];
  int group;  // which of the two this is
  unsigned parity = unsigned(group) ^ 1;
};

// [produce]
/// The producer's part of a tile: begin(stage, step, full) begins a stage's copies.
template <int depth, class Ring, class Begin>
COURSE_DEVICE void produce(Ring& ring, PipelineState<depth>& state, int steps, Begin begin) {
  for (int step = 0; step < steps; ++step, ++state) {
    wait(ring.empty[state.stage], state.parity ^ 1);  // at first all are
    begin(ring.stage[state.stage], step, ring.full[state.stage]);
  }
}
// [/produce]

// [consume_in_order]
/// A group's tile, of `steps` stages: begin(stage, step) begins a stage's products and waits for those of the
/// stage before, finish() waits for the last.
template <class Cluster, int depth, class Ring, class Barrier, class Begin, class Finish>
COURSE_DEVICE void consume_in_order(Ring& ring, PipelineState<depth>& state, OrderedBarrier<Barrier>& order,
                                    int steps, Begin begin, Finish finish) {
  wait(order.turn[order.group],
       order.parity);  // first: two phases ahead, an old one of `full` looks the same
  int before = 0;
  for (int step = 0; step < steps; ++step, ++state) {
    wait(ring.full[state.stage], state.parity);
    begin(ring.stage[state.stage], step);
    if (step > 0) Cluster::release(ring.empty[before]);
    before = state.stage;
  }
  Cluster::pass(order.turn[order.group ^ 1]);  // all is begun: the other group's products come next
  finish();
  Cluster::release(ring.empty[before]);
  order.parity ^= 1;
  state.skip(steps);
}
// [/consume_in_order]

}  // namespace cuda_hopper

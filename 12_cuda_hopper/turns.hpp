// Who waits for whom, in plain C++: ping_pong compiles this, and so does
// tests/12_cuda_hopper/turns_test.cpp, which lets the producer and both groups go on in every order. It needs
// wait(barrier, parity), and Team::release(barrier), once a warp.
#pragma once

#ifdef __CUDACC__
#define COURSE_DEVICE __device__
#else
#define COURSE_DEVICE
#endif

namespace cuda_hopper {

// [turns]
/// A place in the ring: the stage that is next, and the parity of its barriers' phase.
template <int depth>
struct RingSlot {
  int stage = 0;
  unsigned parity = 0;
  COURSE_DEVICE void operator++() {
    if (++stage == depth) stage = 0, parity ^= 1;
  }
  /// Over so many stages, which are the other group's.
  COURSE_DEVICE void skip(int stages) {
    stage += stages;
    parity ^= unsigned(stage / depth % 2);
    stage %= depth;
  }
};

/// Which of two groups this is, and the parity of the next end of a turn that it waits for: the first begins.
struct Turn {
  int group;
  unsigned parity = unsigned(group) ^ 1;
};

// [/turns]

// [produce]
/// The producer's part of a tile: begin(stage, step, full) begins a stage's copies.
template <int depth, class Ring, class Begin>
COURSE_DEVICE void produce(Ring& ring, RingSlot<depth>& slot, int steps, Begin begin) {
  for (int step = 0; step < steps; ++step, ++slot) {
    wait(ring.empty[slot.stage], slot.parity ^ 1);  // at first all are
    begin(ring.stage[slot.stage], step, ring.full[slot.stage]);
  }
}
// [/produce]

// [take_turn]
/// A group's tile, of `steps` stages: multiply(stage, step) begins a stage's products and waits for those of
/// the stage before, finish() waits for the last.
template <class Team, int depth, class Ring, class Multiply, class Finish>
COURSE_DEVICE void take_turn(Ring& ring, RingSlot<depth>& slot, Turn& turn, int steps, Multiply multiply,
                             Finish finish) {
  wait(ring.turn[turn.group], turn.parity);  // first: two phases ahead, an old one of `full` looks the same
  int before = 0;
  for (int step = 0; step < steps; ++step, ++slot) {
    wait(ring.full[slot.stage], slot.parity);
    multiply(ring.stage[slot.stage], step);
    if (step > 0) Team::release(ring.empty[before]);
    before = slot.stage;
  }
  Team::pass(ring.turn[turn.group ^ 1]);  // all is begun: the other group's products come next
  finish();
  Team::release(ring.empty[before]);
  turn.parity ^= 1;
  slot.skip(steps);
}
// [/take_turn]

}  // namespace cuda_hopper

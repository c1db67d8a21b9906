// ping_pong's protocol without a GPU: what the kernel's own code (pipeline.hpp) has the producer and the
// warps of both groups do is written down as scripts, which are then walked in every order.
#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "12_cuda_hopper/pipeline.hpp"

namespace {

enum class What { wait, arrive, copy, read, finish };
struct Event {
  What what;
  int at;        // a barrier, or a stage; of finish: how many products may go on
  int step = 0;  // whose tiles are copied or read
  unsigned parity = 0;
};
using Script = std::vector<Event>;
Script* script = nullptr;  // that of the actor whose code runs

// What pipeline.hpp asks for.
struct Barrier {
  int at;
};
void wait(Barrier barrier, unsigned parity) {
  script->push_back({What::wait, barrier.at, 0, parity});
}
struct Cluster {
  static void release(Barrier barrier) { script->push_back({What::arrive, barrier.at}); }
  static void pass(Barrier barrier) { release(barrier); }
};
constexpr int most = 4;  // stages
constexpr int full = 0, empty = most, turn = 2 * most, barriers = 2 * most + 2;
struct Ring {
  int stage[most];
  Barrier full[most], empty[most], turn[2];
  Ring() {
    for (int s = 0; s < most; ++s) stage[s] = s, full[s] = {::full + s}, empty[s] = {::empty + s};
    turn[0] = {::turn}, turn[1] = {::turn + 1};
  }
};

struct Case {
  int tiles, steps, warps;  // warps of a group
};

/// The scripts of the producer and of each group's warps.
template <int depth>
std::array<Script, 3> scripts(const Case& of) {
  using namespace cuda_hopper;
  std::array<Script, 3> made;
  Ring ring;
  script = &made[2];
  PipelineState<depth> state;
  for (int tile = 0; tile < of.tiles; ++tile)
    produce(ring, state, of.steps, [&](int stage, int step, Barrier) {
      script->push_back({What::copy, stage, tile * of.steps + step});
    });
  for (int group : {0, 1}) {
    script = &made[std::size_t(group)];
    OrderedBarrier<Barrier> order{ring.turn, group};
    PipelineState<depth> next;
    next.skip(group * of.steps);
    for (int tile = group; tile < of.tiles; tile += 2)
      consume_in_order<Cluster>(
          ring, next, order, of.steps,
          [&](int stage, int step) {
            script->push_back({What::read, stage, tile * of.steps + step});
            script->push_back({What::finish, 1});
          },
          [&] {
            script->push_back({What::finish, 0});
          });
  }
  return made;
}

/// Walks the scripts in every order. A copy ends at any time after it has begun, a read when it is waited
/// for.
class Walk {
 public:
  Walk(std::array<Script, 3> of, int warps) : scripts_(std::move(of)), warps_(warps) {
    State first;
    first.next.resize(std::size_t(2 * warps + 1)), first.reads.resize(first.next.size());
    go(first);
  }
  std::string fault;  // the first that was found
  std::size_t states() const { return seen_.size(); }

 private:
  struct State {
    std::vector<int> next;                // of each actor: its next event
    std::vector<std::vector<int>> reads;  // … the stages that its products may still read
    std::array<int, most> holds = {-1, -1, -1, -1}, coming = {-1, -1, -1, -1};  // steps whose tiles lie there
    std::array<int, barriers> phase = {}, arrived = {};
  };
  /// Of a phase of `full`, that of the producer and that of the bytes.
  int arrivals(int barrier) const { return barrier < empty ? 2 : warps_; }
  void arrive(State& state, int barrier) const {
    const auto b = std::size_t(barrier);
    if (++state.arrived[b] == arrivals(barrier)) state.arrived[b] = 0, ++state.phase[b];
  }
  void go(const State& state) {
    if (!fault.empty() || !seen_.insert({state.next, state.coming}).second) return;
    bool stuck = true, done = true;
    for (std::size_t stage = 0; stage < most; ++stage)
      if (state.coming[stage] >= 0) {
        State then = state;
        then.holds[stage] = state.coming[stage], then.coming[stage] = -1;
        arrive(then, full + int(stage));
        stuck = false, go(then);
      }
    for (std::size_t actor = 0; actor < state.next.size(); ++actor) {
      const bool producer = actor + 1 == state.next.size();
      const Script& mine = scripts_[producer ? 2 : actor % 2];
      if (state.next[actor] == int(mine.size())) continue;
      done = false;
      const Event& event = mine[std::size_t(state.next[actor])];
      const auto at = std::size_t(event.at);
      if (event.what == What::wait && unsigned(state.phase[at] % 2) == event.parity) continue;
      State then = state;
      ++then.next[actor];
      if (event.what == What::arrive) arrive(then, event.at);
      if (event.what == What::read) {
        if (state.holds[at] != event.step) fault = "read before it is full";
        then.reads[actor].push_back(event.at);
      }
      if (event.what == What::finish)
        while (int(then.reads[actor].size()) > event.at) then.reads[actor].erase(then.reads[actor].begin());
      if (event.what == What::copy) {
        for (const auto& reads : state.reads)
          for (const int stage : reads)
            if (stage == event.at) fault = "overwritten while it is read";
        then.holds[at] = -1, then.coming[at] = event.step;
        arrive(then, full + event.at);
      }
      stuck = false, go(then);
    }
    if (stuck && !done && fault.empty()) fault = "all wait";
  }
  std::array<Script, 3> scripts_;
  int warps_;
  std::set<std::pair<std::vector<int>, std::array<int, most>>> seen_;  // the rest follows from these
};

template <int depth>
void right(const Case& of) {
  const Walk walk(scripts<depth>(of), of.warps);
  INFO(depth, " stages, ", of.tiles, " tiles of ", of.steps, " steps, ", of.warps, " warps a group");
  CHECK(walk.fault == "");
  CHECK(walk.states() > std::size_t(of.tiles * of.steps));
}

/// What is found where groups do each of these events after the one that follows it.
template <class Which>
std::string fault_if_late(const Case& of, Which which) {
  auto made = scripts<2>(of);
  for (Script& mine : {std::ref(made[0]), std::ref(made[1])})
    for (std::size_t e = mine.size() - 1; e-- > 0;)
      if (which(mine[e])) std::swap(mine[e], mine[e + 1]);
  return Walk(made, of.warps).fault;
}

}  // namespace

TEST_CASE(
    "in every order of the producer and both groups all ends, and no stage is read or written too early") {
  for (const int tiles : {1, 2, 3, 5})
    for (const int steps : {1, 2, 3, 4, 5, 7}) {
      const Case of{tiles, steps, 1};
      right<2>(of), right<3>(of), right<4>(of);
    }
  right<2>({4, 3, 2}), right<3>({3, 4, 2});
}

TEST_CASE("a group that touches `full` before its turn takes an old phase for its own") {
  const auto turn_waited_for = [](const Event& event) {
    return event.what == What::wait && event.at >= turn;
  };
  CHECK(fault_if_late({4, 4, 1}, turn_waited_for) == "read before it is full");
}

TEST_CASE("a stage that is given back before its products are done is overwritten") {
  const auto last_waited_for = [](const Event& event) { return event.what == What::finish; };
  CHECK(fault_if_late({2, 3, 1}, last_waited_for) == "overwritten while it is read");
}

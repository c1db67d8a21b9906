// Panels and tiles: each element once, own ones first. A team one of whose GPUs fails.
#include <doctest/doctest.h>

#include "15_multi_gpu/rungs/from_host.cuh"
#include "15_multi_gpu/rungs/overlapped.cuh"
#include "15_multi_gpu/rungs/staged.cuh"
#include "15_multi_gpu/variants.hpp"
#include "runner/text.hpp"

using namespace multi_gpu;

TEST_CASE("panels have all of k once, as owners have it, the first grid row's first") {
  for (const Index k : {0, 1, 5, 64, 101})
    for (const Grid grid : {Grid{1, 1}, {3, 1}, {2, 3}, {3, 2}, {7, 1}})
      for (const Index most : {1, 7, 1000})
        for (int first = 0; first < grid.P; ++first) {
          std::vector<int> times(std::size_t(k), 0);
          for (const auto& [from, count, a_col, b_row] : panels_of(k, grid, most, first)) {
            CHECK((count > 0 && count <= most));
            for (Index p = from; p < from + count; ++p) {
              ++times[std::size_t(p)];
              const Part a = part(k, grid.Q, a_col), b = part(k, grid.P, b_row);
              CHECK((p >= a.from && p < a.from + a.count && p >= b.from && p < b.from + b.count));
            }
          }
          CHECK(std::count(times.begin(), times.end(), 1) == k);
          if (k >= grid.P) CHECK(panels_of(k, grid, most, first)[0].b_row == first);
        }
}

TEST_CASE("steps from the host multiply each element of C's rows with all of k, once") {
  const Part rows{3, 10};
  const Index n = 9, k = 11;
  for (const Index most : {1, 4, 8, 100}) {
    std::vector<int> times(std::size_t(rows.count * n * k), 0);
    for (const Step& s : steps_of(rows, n, k, most)) {
      CHECK((s.slice + s.rows.count <= most && s.cols.count <= most));
      for (Index i = s.rows.from; i < s.rows.from + s.rows.count; ++i)
        for (Index j = s.cols.from; j < s.cols.from + s.cols.count; ++j)
          for (Index p = s.k.from; p < s.k.from + s.k.count; ++p)
            ++times[std::size_t(((i - rows.from) * n + j) * k + p)];
    }
    CHECK(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
  }
}

TEST_CASE("a GPU that fails while others wait for it: they give up, its error is thrown, the team goes on") {
  course::emulator::set_order("forward");
  Team team;
  for (int turn = 0; turn < 3; ++turn) {
    CHECK_THROWS_WITH(team.all(3,
                               [&](int gpu) {
                                 if (gpu == 1) throw std::runtime_error("failed");
                                 team.meet();
                               }),
                      "failed");
    std::atomic<int> met = 0;
    team.all(4, [&](int) { team.meet(), ++met, team.meet(); });
    CHECK(met == 4);
  }
}

TEST_CASE("a GPU that is lost: nobody waits for it, and the program ends with a line and status 2") {
  course::emulator::set_order("forward");
  Kernel<float>* const no_product = [](Index, Index, Index, const float*, Index, const float*, Index, float*,
                                       Index) {};
  for (const Rung<float>& rung : {Rung<float>{staged<float>, no_product, {.whole_b = true, .host_b = true}},
                                  Rung<float>{overlapped<float>, no_product, {.panel_b = true}},
                                  Rung<float>{from_host<float>, no_product, {.from_host = true}}}) {
    const Problem<float> problem{.shape = {20, 20, 20}};
    MultiGpu<float> variant({}, rung, std::make_shared<Team>());
    variant.allocate(problem, {.threads = 3, .tile = 8});
    course::emulated::lost = 1;
    std::string line;
    try {
      variant.run();
    } catch (const course::Refusal& refusal) {
      line = refusal.message;
    }
    course::emulated::lost = -1;
    CHECK(line == "GPU 1 is lost: unknown error");
  }
}

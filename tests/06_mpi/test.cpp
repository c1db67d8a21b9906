// What the common loop does not ask of 06: who has what, words against the formulas, counts beyond 2^31.
// Every rank runs every case.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <vector>

#include "06_mpi/cost.hpp"
#include "06_mpi/exercises.hpp"
#include "06_mpi/mpi_world.hpp"
#include "06_mpi/variants.hpp"
#include "common/verify.hpp"
#include "tests/openmp_requests.hpp"

using namespace mpi;

namespace {

const course::World* world = nullptr;

using Variants = course::Variants<float>;

void slices_of_ten(const Panels<float>& panels, const Grid& grid, Multiply<float> multiply, int threads) {
  summa_in_slices<float>(panels, grid, multiply, threads, 10);
}
std::shared_ptr<course::Variant<float>> summa_by(const char* name, Summa<float>::Kernel kernel) {
  return on_ranks<Summa<float>>(name, "", kernel);
}
Variants summas() {
  return {summa_by("summa_blocking", summa_blocking<float>), summa_by("summa", slices_of_ten),
          summa_by("summa_ring_dealt", summa_ring_dealt<float>), summa_by("summa_ring", summa_ring<float>),
          summa_by("chain", exercises::chain<float>)};
}
Variants by_rows() {
  return {on_ranks<ByRows<float>>("rows_blocking", "", scatter_blocking<float>, gather_blocking<float>),
          on_ranks<ByRows<float>>("rows_immediate", "", scatter_immediate<float>, gather_immediate<float>)};
}
std::shared_ptr<course::Variant<float>> block_cyclic() {
  return on_ranks<BlockCyclic<float>>("block_cyclic", "");
}

/// The words that one product receives, which must be right.
double words_of(course::Variant<float>& variant, const Shape& shape, const Dim2& grid, const Dim2& block) {
  const Problem<float> problem{.shape = shape};
  variant.allocate(problem, {.grid = grid, .block = block});
  double words = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {  // a repeat receives as much
    Times times = variant.distribute();
    variant.reset();
    times += variant.run();
    times += variant.fetch();
    words = times.words_received.value_or(-1);
  }
  CHECK(variant.guards_intact());
  const View<const float> c = variant.result();
  if (world->is_root()) CHECK(course::Verifier<float>(problem, true).check(c).right);
  variant.release();
  return words;
}

double most(double mine) {
  world->max({&mine, 1});
  return mine;
}

/// Grids that these ranks can form.
std::vector<std::pair<int, int>> grids() {
  std::vector<std::pair<int, int>> found;
  for (int p = 1; p <= world->size(); ++p)
    if (world->size() % p == 0) found.emplace_back(p, world->size() / p);
  return found;
}

}  // namespace

TEST_CASE("more than 2^31 elements: an int counts rows, bytes are counted in 64 bits") {
  const View<double> large(nullptr, Index{1} << 16, Index{1} << 17, (Index{1} << 17) + 3);
  const Type row = row_type(large);
  MPI_Count size = 0, low = 0, extent = 0;
  MPI_Type_size_x(row, &size), MPI_Type_get_extent_x(row, &low, &extent);
  CHECK(rows_in(large) * size == 8 * (Index{1} << 33));
  CHECK(extent == 8 * ((Index{1} << 17) + 3));
  CHECK(low == 0);

  Panels<double> panels{};
  panels.of_a = {2'000'000'000, 128, 2}, panels.of_b = {2'000'000'000, 128, 3};
  panels.c = View<double>(nullptr, 70'000, 90'000, 90'000);
  const Index s = panels.count() - 1;
  const auto own_col = static_cast<Index>(s % 2), own_row = static_cast<Index>(s % 3);
  panels.a = panels.b = reinterpret_cast<double*>(64);
  CHECK(panels.panel_a(s, own_col).data() - panels.a == s / 2 * 128 * 70'000);
  CHECK(panels.panel_b(s, own_row).data() - panels.b == s / 3 * 128 * 90'000);
}

TEST_CASE("words of summa: the formula, where sizes divide evenly and where they do not") {
  for (const auto& variant : summas())
    for (const auto& [p, q] : grids()) {
      const Dim2 grid{p, q};
      CAPTURE(variant->info.name);
      CAPTURE(grid.text());
      const Shape even{24 * p, 16 * q, 8 * p * q};
      const double words = words_of(*variant, even, grid, {4, 8});
      CHECK(words == cost::summa_evenly(even, p, q));
      CHECK(words == cost::summa(even, p, q, 4, 8));
      for (const Shape& shape :
           {Shape{37, 41, 29}, Shape{3, 50, 7}, Shape{5, 4, 0}})  // the rank that has most
        CHECK(most(words_of(*variant, shape, grid, {3, 5})) == cost::summa(shape, p, q, 3, 5));
    }
}

TEST_CASE("words from rank 0 and back") {
  for (const Shape& shape : {Shape{37, 41, 29}, Shape{3, 50, 7}, Shape{100, 90, 2}}) {
    for (const auto& variant : by_rows())
      CHECK(most(words_of(*variant, shape, {}, {})) == cost::rows(shape, world->size()));
    for (const auto& [p, q] : grids())
      CHECK(most(words_of(*block_cyclic(), shape, {p, q}, {3, 5})) == cost::block_cyclic(shape, p, q, 3, 5));
  }
}

TEST_CASE("a rank multiplies in as many threads as the row says") {
  const auto summa = [](const Panels<float>&, const Grid&, Multiply<float>, int threads) {
    openmp_requests::threads = {threads};
  };
  const Problem<float> problem{.shape = {200, 480, 300}};  // less is done by one
  for (const auto& variant : {by_rows()[0], block_cyclic(), summa_by("summa", summa)}) {
    variant->allocate(problem, {.threads = 3, .grid = {1, world->size()}, .block = {3, 5}});
    variant->distribute(), variant->reset();
    openmp_requests::threads.clear();
    variant->run();
    CHECK(openmp_requests::threads == std::vector<int>{3});
    variant->release();
  }
}

TEST_CASE("a message that ends otherwise than those of the products is counted once") {
  const int size = world->size(), last = (world->rank() + size - 1) % size;
  for (const bool any : {false, true}) {
    const double data[3] = {1, 2, 3. * world->rank()};
    double got[3] = {};
    MPI_Request sent = MPI_REQUEST_NULL, request = MPI_REQUEST_NULL;
    const double before = bytes_received();
    PMPI_Isend(data, 3, MPI_DOUBLE, (world->rank() + 1) % size, 7, MPI_COMM_WORLD, &sent);
    MPI_Irecv(got, 3, MPI_DOUBLE, last, 7, MPI_COMM_WORLD, &request);
    CHECK(requests_under_way() == 1);
    for (int which = 0, done = 0; !done;)
      any ? MPI_Testany(1, &request, &which, &done, MPI_STATUS_IGNORE)
          : MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    CHECK(bytes_received() - before == (size > 1 ? 24 : 0));
    CHECK((requests_under_way() == 0 && got[2] == 3. * last));
  }
}

int main(int argc, char** argv) {
  const course::MpiWorld ranks(&argc, &argv);
  world = &ranks;
  return doctest::Context(argc, argv).run();
}

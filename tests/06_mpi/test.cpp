// What the common loop does not ask of 06: who has what, words against the formulas, counts beyond 2^31.
// Every rank runs every case.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "06_mpi/cost.hpp"
#include "06_mpi/exercises.hpp"
#include "06_mpi/variants.hpp"
#include "common/verify.hpp"
#include "06_mpi/mpi_world.hpp"
#include "tests/openmp_requests.hpp"

using namespace mpi;

namespace {

const course::World* world = nullptr;

template <class T>
void slices_of_ten(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_in_slices<T>(panels, grid, multiply, threads, 10);
}

template <class T>
course::Variants<T> summas() {
  return {on_ranks<Summa<T>>("summa_blocking", "", summa_blocking<T>),
          on_ranks<Summa<T>>("summa", "", slices_of_ten<T>),
          on_ranks<Summa<T>>("summa_ring_dealt", "", summa_ring_dealt<T>),
          on_ranks<Summa<T>>("summa_ring", "", summa_ring<T>),
          on_ranks<Summa<T>>("chain", "", exercises::chain<T>)};
}
std::shared_ptr<course::Variant<float>> rows_blocking() {
  return on_ranks<ByRows<float>>("rows_blocking", "", scatter_blocking<float>, gather_blocking<float>);
}

/// The words that one product receives, which must be right.
template <class T>
double words_of(course::Variant<T>& variant, const Shape& shape, const Dim2& grid, const Dim2& block) {
  const Problem<T> problem{.shape = shape};
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
  const View<const T> c = variant.result();
  if (world->is_root()) CHECK(course::Verifier<T>(problem, true).check(c).right);
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

// Calls of MPI_Testall (--wrap: received.cpp has the one that is wrapped); if `never`, it says each time that
// not all are there, and MPI_Waitall gets the messages.
int looks = 0;
bool never = false;
extern "C" int __real_MPI_Testall(int count, MPI_Request* requests, int* all, MPI_Status* statuses);
extern "C" int __wrap_MPI_Testall(int count, MPI_Request* requests, int* all, MPI_Status* statuses) {
  ++looks;
  return never ? (*all = 0, MPI_SUCCESS) : __real_MPI_Testall(count, requests, all, statuses);
}

TEST_CASE("squarest: the grid whose sides differ least, no higher than wide") {
  const std::pair<int, Dim2> grids[] = {{1, {1, 1}}, {2, {1, 2}}, {3, {1, 3}}, {4, {2, 2}},
                                        {6, {2, 3}}, {7, {1, 7}}, {9, {3, 3}}, {24, {4, 6}}};
  for (const auto& [ranks, grid] : grids) CHECK(squarest(ranks) == grid);
}

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

TEST_CASE_TEMPLATE("words of summa: the formula, where sizes divide evenly on each rank", T, float, double,
                   std::int32_t) {
  for (const auto& variant : summas<T>())
    for (const auto& [p, q] : grids()) {
      const Shape even{24 * p, 16 * q, 8 * p * q};
      CAPTURE(variant->info.name);
      const Dim2 grid{p, q};
      CAPTURE(grid.text());
      const double words = words_of<T>(*variant, even, grid, {4, 8});
      CHECK(words == cost::summa_evenly(even, p, q));
      CHECK(words == cost::summa(even, p, q, 4, 8));
    }
}

TEST_CASE("words of summa where nothing divides: the rank that receives most") {
  for (const auto& variant : summas<double>())
    for (const auto& [p, q] : grids())
      for (const Shape& shape : {Shape{37, 41, 29}, Shape{3, 50, 7}, Shape{5, 4, 0}}) {
        const Dim2 grid{p, q};
        CAPTURE(grid.text());
        CHECK(most(words_of<double>(*variant, shape, grid, {3, 5})) == cost::summa(shape, p, q, 3, 5));
      }
}

TEST_CASE("summa looks after its messages before each of four slices at most, summa_unaided once a panel") {
  for (const auto& [kernel, slices] : {std::pair(&summa<float>, 3), {&summa_unaided<float>, 1}}) {
    const auto variant = on_ranks<Summa<float>>("summa", "", kernel);
    looks = 0, never = true;
    words_of<float>(*variant, {4, 600 * world->size(), 10}, {1, world->size()}, {4, 600});
    never = false;
    CHECK(looks == 2 * slices);  // of two products
  }
}

TEST_CASE("a rank multiplies in as many threads as the row says") {
  const course::Variants<float> variants = {
      rows_blocking(), on_ranks<BlockCyclic<float>>("block_cyclic", ""),
      on_ranks<Summa<float>>("summa", "", [](const Panels<float>&, const Grid&, Multiply<float>, int t) {
        openmp_requests::threads = {t};
      })};
  const Problem<float> problem{.shape = {200, 480, 300}};  // less is done by one
  for (const auto& variant : variants) {
    variant->allocate(problem, {.threads = 3, .grid = {1, world->size()}, .block = {3, 5}});
    variant->distribute(), variant->reset();
    openmp_requests::threads.clear();
    variant->run();
    CHECK(openmp_requests::threads == std::vector<int>{3});
    variant->release();
  }
}

TEST_CASE("one rank alone makes a scheme and lets it go, as one does whose memory does not suffice") {
  course::Variants<float> variants = summas<float>();
  variants.push_back(rows_blocking()), variants.push_back(on_ranks<BlockCyclic<float>>("block_cyclic", ""));
  const Problem<float> problem{.shape = {20, 20, 20}};
  for (const auto& variant : variants)  // a message would wait for the others for ever
    if (world->is_root())
      variant->allocate(problem, {.grid = {1, world->size()}, .block = {3, 5}}), variant->release();
}

TEST_CASE("words from rank 0 and back") {
  const course::Variants<float> by_rows = {
      rows_blocking(),
      on_ranks<ByRows<float>>("rows_immediate", "", scatter_immediate<float>, gather_immediate<float>)};
  for (const Shape& shape : {Shape{37, 41, 29}, Shape{3, 50, 7}, Shape{100, 90, 2}}) {
    for (const auto& variant : by_rows)
      CHECK(most(words_of<float>(*variant, shape, {}, {})) == cost::rows(shape, world->size()));
    for (const auto& [p, q] : grids()) {
      const Dim2 grid{p, q};
      CAPTURE(grid.text());
      const auto variant = on_ranks<BlockCyclic<float>>("block_cyclic", "");
      CHECK(most(words_of<float>(*variant, shape, grid, {3, 5})) == cost::block_cyclic(shape, p, q, 3, 5));
    }
  }
}

TEST_CASE("rank 0 alone has the result, and waits on poison for the next") {
  const Problem<float> problem{.shape = {37, 41, 29}};
  for (const auto& variant : {rows_blocking(), on_ranks<BlockCyclic<float>>("block_cyclic", "")}) {
    variant->allocate(problem, {.grid = {1, world->size()}, .block = {3, 5}});
    variant->distribute(), variant->reset(), variant->run(), variant->fetch();
    variant->reset();
    const View<const float> c = variant->result();
    CHECK(c.rows() == (world->is_root() ? 37 : 0));
    if (world->is_root() && world->size() > 1) CHECK(std::isnan(c(36, 40)));
    variant->release();
  }
}

TEST_CASE(
    "what the products do not call, and ScaLAPACK does, counts what it delivers, once, and its status") {
  const int size = world->size(), last = (world->rank() + size - 1) % size;
  const double data[3] = {1, 2, 3. * world->rank()};
  for (const bool waits : {true, false}) {
    double got[5] = {};
    MPI_Status status{};
    MPI_Request sent = MPI_REQUEST_NULL, request = MPI_REQUEST_NULL;
    const double before = bytes_received();
    PMPI_Isend(data, 3, MPI_DOUBLE, (world->rank() + 1) % size, 7, MPI_COMM_WORLD, &sent);
    MPI_Irecv(got, 5, MPI_DOUBLE, last, 7, MPI_COMM_WORLD, &request);
    if (waits) MPI_Wait(&request, &status);
    for (int done = waits; !done;) MPI_Test(&request, &done, &status);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    CHECK(bytes_received() - before == (size > 1 ? 24 : 0));
    CHECK((status.MPI_SOURCE == last && status.MPI_TAG == 7 && got[2] == 3. * last));
  }
}

int main(int argc, char** argv) {
  const course::MpiWorld ranks(&argc, &argv);
  world = &ranks;
  return doctest::Context(argc, argv).run();
}

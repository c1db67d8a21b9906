// What the common loop does not ask of 06: who has what, words against the formulas, datatypes, counts beyond
// 2^31. Every rank runs every case.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <vector>

#include "06_mpi/cost.hpp"
#include "06_mpi/exercises.hpp"
#include "06_mpi/variants.hpp"
#include "common/mpi_world.hpp"
#include "common/verify.hpp"
#include "tests/openmp_requests.hpp"

using namespace mpi;

namespace {

const course::World* world = nullptr;
int types_alive = 0;                     // derived datatypes of this rank
int grids_alive = 0;                     // communicators that it shares with a grid, or with a part of one
int barriers = 0;                        // that it has come to
std::map<MPI_Request, int> sends_alive;  // its messages that nobody has waited for

template <class T>
void slices_of_ten(const Panels<T>& panels, const Grid& grid, Multiply<T> multiply, int threads) {
  summa_in_slices<T>(panels, grid, multiply, threads, 10);
}

template <class V, class... Functions>
auto made(const char* name, Functions... functions) {
  return std::make_shared<V>(course::Traits{.name = name, .idea = "for tests"}, functions...);
}
template <class T>
course::Variants<T> summas() {
  return {made<Summa<T>>("summa_blocking", summa_blocking<T>), made<Summa<T>>("summa", slices_of_ten<T>),
          made<Summa<T>>("summa_ring_dealt", summa_ring_dealt<T>),
          made<Summa<T>>("summa_ring", summa_ring<T>), made<Summa<T>>("chain", exercises::chain<T>)};
}

/// One product, which must be right; what it received, in words, and by how much derived datatypes became
/// more on the way.
template <class T>
struct Run {
  double words = 0;
  int types_kept = 0;

  Run(course::Variant<T>& variant, const Shape& shape, const Sides& grid, const Sides& block) {
    const Problem<T> problem{.shape = shape};
    const Settings settings{.grid = grid, .block = block};
    const int before = types_alive, grids_before = grids_alive;
    variant.allocate(problem, settings, *world);
    Piece<T> piece;
    for (int repeat = 0; repeat < 2; ++repeat) {  // words of the second: a repeat receives as much
      const int barriers_before = barriers;
      Times there = variant.distribute();
      variant.reset();
      Times product = variant.run();
      const Times back = variant.fetch(piece);
      CHECK((product.product && !there.product && !back.product));
      CHECK((there.distribute.has_value() == back.collect.has_value() && !there.collect && !back.distribute));
      CHECK(barriers - barriers_before == (there.distribute ? 3 : 1));  // one before each phase
      words = (product += there += back).words_received.value_or(-1);
    }
    CHECK(course::Verifier<T>(problem, true).check(piece, *world).right);
    CHECK(variant.guards_intact());
    CHECK(sends_alive.empty());
    types_kept = types_alive - before;
    variant.release();
    CHECK(types_alive == before);
    CHECK(grids_alive == grids_before);
  }
};

/// To be waited for: an array may hold requests of receives and of nothing, too.
void waited_for(int count, const MPI_Request* requests) {
  for (int r = 0; r < count; ++r)
    if (const auto sent = sends_alive.find(requests[r]); sent != sends_alive.end() && --sent->second == 0)
      sends_alive.erase(sent);
}

double most(double mine) {
  double both[] = {mine, std::nan("")};
  world->max({both, 1});
  CHECK(std::isnan(both[1]));  // was not handed in
  return both[0];
}

/// Grids that these ranks can form.
std::vector<std::pair<int, int>> grids() {
  std::vector<std::pair<int, int>> found;
  for (int p = 1; p <= world->size(); ++p)
    if (world->size() % p == 0) found.emplace_back(p, world->size() / p);
  return found;
}

}  // namespace

// Calls of MPI_Testall (--wrap: received.cpp has the one that is wrapped), and of the local product; if not
// negative, what MPI_Testall says at the call of this number, and "not all" before.
int looks = 0, products = 0, arrives_at = -1;
extern "C" int __real_MPI_Testall(int count, MPI_Request* requests, int* all, MPI_Status* statuses);
extern "C" int __wrap_MPI_Testall(int count, MPI_Request* requests, int* all, MPI_Status* statuses) {
  ++looks;
  // As it might come; MPI_Waitall gets the messages.
  if (arrives_at >= 0) return *all = looks == arrives_at, MPI_SUCCESS;
  const std::vector<MPI_Request> before(requests, requests + count);
  const int error = __real_MPI_Testall(count, requests, all, statuses);
  if (*all) waited_for(count, before.data());
  return error;
}
extern "C" int __real_MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
extern "C" int __wrap_MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  waited_for(count, requests);
  return __real_MPI_Waitall(count, requests, statuses);
}

// Of ours, what sends without waiting, waits for all, and makes and frees grids and datatypes: PMPI, as in
// received.cpp.
extern "C" {
int MPI_Barrier(MPI_Comm ranks) {
  return ++barriers, PMPI_Barrier(ranks);
}
int MPI_Cart_create(MPI_Comm of, int sides, const int extents[], const int wraps[], int reorder,
                    MPI_Comm* made) {
  CHECK(reorder == 0);  // what a rank has was settled by its number in `of`
  return ++grids_alive, PMPI_Cart_create(of, sides, extents, wraps, reorder, made);
}
int MPI_Cart_sub(MPI_Comm of, const int stays[], MPI_Comm* made) {
  return ++grids_alive, PMPI_Cart_sub(of, stays, made);
}
int MPI_Comm_free(MPI_Comm* ranks) {
  return --grids_alive, PMPI_Comm_free(ranks);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  const int error = PMPI_Isend(data, count, type, to, tag, ranks, request);
  return ++sends_alive[*request], error;
}
int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype* made) {
  return ++types_alive, PMPI_Type_contiguous(count, of, made);
}
int MPI_Type_create_resized(MPI_Datatype of, MPI_Aint low, MPI_Aint extent, MPI_Datatype* made) {
  return ++types_alive, PMPI_Type_create_resized(of, low, extent, made);
}
int MPI_Type_indexed(int count, const int lengths[], const int places[], MPI_Datatype of,
                     MPI_Datatype* made) {
  return ++types_alive, PMPI_Type_indexed(count, lengths, places, of, made);
}
int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint places[], MPI_Datatype of,
                                   MPI_Datatype* made) {
  return ++types_alive, PMPI_Type_create_hindexed_block(count, length, places, of, made);
}
int MPI_Type_free(MPI_Datatype* type) {
  return --types_alive, PMPI_Type_free(type);
}
}

TEST_CASE("squarest: the grid whose sides differ least, no higher than wide") {
  const std::pair<int, Sides> grids[] = {{1, {1, 1}}, {2, {1, 2}}, {3, {1, 3}}, {4, {2, 2}},
                                         {6, {2, 3}}, {7, {1, 7}}, {9, {3, 3}}, {24, {4, 6}}};
  for (const auto& [ranks, grid] : grids) CHECK(squarest(ranks) == grid);
}

TEST_CASE("three datatypes of rows and three of columns at most, whatever the grid") {
  std::size_t most_rows = 0, most_cols = 0;
  for (const Index extent : {0, 1, 7, 23, 64, 65})
    for (const Index block : {1, 3, 5, 64})
      for (const Index parts : {1, 2, 3, 5, 7}) {
        const View<const float> matrix(nullptr, extent, 11, 13);
        most_rows = std::max(most_rows, row_types({extent, block, parts}, matrix).size());
        most_cols = std::max(most_cols, column_types<float>({extent, block, parts}, 70).size());
      }
  CHECK(most_rows == 3);
  CHECK(most_cols == 3);
  CHECK(types_alive == 0);
}

TEST_CASE("more than 2^31 elements: an int counts rows, bytes are counted in 64 bits") {
  const View<double> large(nullptr, Index{1} << 16, Index{1} << 17, (Index{1} << 17) + 3);
  const Type row = row_type(large);
  MPI_Count size = 0, low = 0, extent = 0;
  MPI_Type_size_x(row, &size), MPI_Type_get_extent_x(row, &low, &extent);
  CHECK(rows_in(large) * size == 8 * (Index{1} << 33));
  CHECK(extent == 8 * ((Index{1} << 17) + 3));
  CHECK(low == 0);

  const Cyclic rows{100'000, 1000, 3};
  const View<const double> whole(nullptr, rows.extent, 100'000, 100'001);
  const Types types = row_types(rows, whole);
  const Index last = rows.global(0, rows.count(0) - 1);
  MPI_Type_get_true_extent_x(types.at(rows.count(0)), &low, &extent);
  CHECK(extent == 8 * (last * whole.ld() + whole.cols()));

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
      CAPTURE(variant->traits.name);
      const Sides grid{p, q};
      CAPTURE(grid.text());
      const Run<T> run(*variant, even, grid, {4, 8});
      CHECK(run.words == cost::summa_evenly(even, p, q));
      CHECK(run.words == cost::summa(even, p, q, 4, 8));
    }
}

TEST_CASE("words of summa where nothing divides: the rank that receives most") {
  for (const auto& variant : summas<double>())
    for (const auto& [p, q] : grids())
      for (const Shape& shape : {Shape{37, 41, 29}, Shape{3, 50, 7}, Shape{5, 4, 0}}) {
        const Sides grid{p, q};
        CAPTURE(grid.text());
        const Run<double> run(*variant, shape, grid, {3, 5});
        CHECK(most(run.words) == cost::summa(shape, p, q, 3, 5));
      }
}

TEST_CASE("summa looks after its messages before each slice of the product, until all are there") {
  const Shape shape{20, 60, 10};  // one panel, in a single grid row
  const Sides grid{1, world->size()};
  const Index n = Cyclic{shape.n, 10, world->size()}.count(world->rank());
  for (const Index slice : {Index{4}, Index{1000}})
    for (const int arrival : {0, 1, 2}) {  // 0: never
      static Index columns;
      columns = slice;
      Summa<float> variant(course::Traits{.name = "summa", .idea = "for tests"},
                           [](const Panels<float>& panels, const Grid& ranks, Multiply<float>, int threads) {
                             const auto counted = [](View<const float> a, View<const float> b, View<float> c,
                                                     int t) { ++products, avx2::best<float>(a, b, c, t); };
                             looks = products = 0;
                             summa_in_slices<float>(panels, ranks, counted, threads, columns);
                           });
      arrives_at = arrival;
      const Run<float> run(variant, shape, grid, {10, 10});
      arrives_at = -1;
      const Index slices = (n + slice - 1) / slice;
      CHECK(products == (arrival == 0 ? slices : std::min<Index>(slices, arrival)));
      CHECK(looks == products);
    }
}

TEST_CASE(
    "four slices at most, of whole tiles: summa looks before each of them, summa_unaided once a panel") {
  Panels<float> panels{};
  for (const auto& [cols, slice] :
       {std::pair<Index, Index>{1, 240}, {240, 240}, {960, 240}, {961, 480}, {1921, 720}}) {
    panels.c = View<float>(nullptr, 1, cols, cols);
    REQUIRE(four_slices(panels) == slice);  // 0 would never end
  }
  const std::pair<Summa<float>::Kernel, int> both[] = {{summa<float>, 3}, {summa_unaided<float>, 1}};
  for (const auto& [kernel, expected] : both) {
    Summa<float> variant(course::Traits{.name = "summa", .idea = "for tests"}, kernel);
    looks = arrives_at = 0;  // never
    const Run<float> run(variant, {4, 600 * world->size(), 10}, {1, world->size()}, {4, 600});
    arrives_at = -1;
    CHECK(looks == 2 * expected);  // of two products
  }
}

TEST_CASE("a rank multiplies in as many threads as the row says") {
  const course::Variants<float> variants = {
      made<RowsVariant<float>>("rows_blocking", scatter_blocking<float>, gather_blocking<float>),
      made<BlockCyclic<float>>("block_cyclic"),
      made<Summa<float>>("summa", [](const Panels<float>&, const Grid&, Multiply<float>, int t) {
        openmp_requests::threads = {t};
      })};
  const Problem<float> problem{.shape = {37, 41, 29}};
  for (const auto& variant : variants) {
    variant->allocate(problem, {.threads = 3, .grid = {1, world->size()}, .block = {3, 5}}, *world);
    variant->distribute(), variant->reset();
    openmp_requests::threads.clear();
    variant->run();
    CHECK(openmp_requests::threads == std::vector<int>{3});
    variant->release();
  }
}

TEST_CASE("words from rank 0 and back; datatypes are freed") {
  const course::Variants<float> by_rows = {
      made<RowsVariant<float>>("rows_blocking", scatter_blocking<float>, gather_blocking<float>),
      made<RowsVariant<float>>("rows_immediate", scatter_immediate<float>, gather_immediate<float>)};
  for (const Shape& shape : {Shape{37, 41, 29}, Shape{3, 50, 7}, Shape{100, 90, 2}}) {
    for (const auto& variant : by_rows) {
      const Run<float> run(*variant, shape, {}, {});
      CHECK(most(run.words) == cost::rows(shape, world->size()));
      CHECK(run.types_kept == 0);
    }
    for (const auto& [p, q] : grids()) {
      const Sides grid{p, q};
      CAPTURE(grid.text());
      BlockCyclic<float> variant(course::Traits{.name = "block_cyclic", .idea = "for tests"});
      const Run<float> run(variant, shape, grid, {3, 5});
      CHECK(most(run.words) == cost::block_cyclic(shape, p, q, 3, 5));
      CHECK(run.types_kept <= 9);
      if (world->rank() == 0) CHECK(run.types_kept >= 3);
    }
  }
}

TEST_CASE("rank 0 alone has a piece of what is collected, and waits on poison for the next") {
  const course::Variants<float> variants = {
      made<RowsVariant<float>>("rows_blocking", scatter_blocking<float>, gather_blocking<float>),
      made<BlockCyclic<float>>("block_cyclic")};
  const Problem<float> problem{.shape = {37, 41, 29}};
  for (const auto& variant : variants) {
    variant->allocate(problem, {.grid = {1, world->size()}, .block = {3, 5}}, *world);
    variant->distribute(), variant->reset(), variant->run();
    Piece<float> piece{{1}, {2}, {}};
    variant->fetch(piece);
    variant->reset();
    if (world->rank() == 0) {
      CHECK((piece.rows == course::all_of(37) && piece.cols == course::all_of(41)));
      if (world->size() > 1) CHECK(std::isnan(piece.c(36, 40)));
      if (variant == variants[0])
        CHECK(piece.c(0, 1) == problem.c(0, 1));
      else
        CHECK(std::isnan(piece.c(0, 1)));
    } else {
      CHECK((piece.rows.empty() && piece.cols.empty() && piece.c.data() == nullptr));
    }
    variant->release();
  }
}

TEST_CASE("each function of MPI's counts what it delivers from others, once, and gives back its status") {
  const int me = world->rank(), size = world->size(), next = (me + 1) % size, last = (me + size - 1) % size;
  const double data[3] = {1. * me, 2. * me, 3. * me};
  double got[5] = {};
  MPI_Status status{};
  MPI_Request request = MPI_REQUEST_NULL;
  const auto receives = [&](const char* what, int from, double bytes, auto receive) {
    MPI_Request sent = MPI_REQUEST_NULL;
    PMPI_Isend(data, 3, MPI_DOUBLE, from == me ? me : next, 7, MPI_COMM_WORLD, &sent);
    const double before = bytes_received();
    status.MPI_SOURCE = status.MPI_TAG = -5, got[2] = -5;
    receive();
    CAPTURE(what);
    CHECK(bytes_received() - before == bytes);
    CHECK((status.MPI_SOURCE == from && status.MPI_TAG == 7));
    CHECK(got[2] == 3. * from);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    CHECK(bytes_received() - before == bytes);
  };
  for (const int from : {last, me}) {
    const double bytes = from == me ? 0 : 24;
    const auto expect = [&] { MPI_Irecv(got, 5, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &request); };
    receives("MPI_Recv", from, bytes,
             [&] { MPI_Recv(got, 5, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &status); });
    receives("MPI_Wait", from, bytes, [&] { expect(), MPI_Wait(&request, &status); });
    receives("MPI_Waitall", from, bytes, [&] { expect(), MPI_Waitall(1, &request, &status); });
    receives("MPI_Test", from, bytes, [&] {
      expect();
      for (int done = 0; !done;) MPI_Test(&request, &done, &status);
    });
    receives("MPI_Testall", from, bytes, [&] {
      expect();
      for (int done = 0; !done;) MPI_Testall(1, &request, &done, &status);
    });
  }
  const double before = bytes_received();
  MPI_Bcast(got, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  CHECK(bytes_received() - before == (me == 0 ? 0 : 40));
  MPI_Ibcast(got, 2, MPI_DOUBLE, size - 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(bytes_received() - before == (me == 0 ? 0 : 40) + (me == size - 1 ? 0 : 16));
}

int main(int argc, char** argv) {
  const course::MpiWorld ranks(&argc, &argv);
  world = &ranks;
  return doctest::Context(argc, argv).run();
}

// What summa allocates from allocate() to run() on each rank: its share of A, B and C, four panels, and what
// the local product packs into; and whether the others say before what they take. Matrices and packed blocks
// come from aligned_alloc, the rest from new; linked with --wrap=aligned_alloc,--wrap=free, so MPI's own
// memory is not seen.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string_view>

#include "06_mpi/variants.hpp"
#include "common/mpi_world.hpp"

namespace {

/// Bytes that are taken, and the most that were.
struct Account {
  std::size_t now = 0, most = 0;
  void take(std::size_t bytes) { now += bytes, most = now > most ? now : most; }
};
Account matrices, packs, rest;
std::map<void*, std::pair<Account*, std::size_t>>* aligned;  // what aligned_alloc gave

constexpr std::size_t header = 16;  // before what new gives: its size

}  // namespace

extern "C" {
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* const memory = __real_aligned_alloc(alignment, bytes);
  Account& account = alignment > 64 ? packs : matrices;  // what is packed has pages of its own
  account.take(bytes);
  aligned->insert({memory, {&account, bytes}});
  return memory;
}
void __wrap_free(void* memory) {
  if (aligned)
    if (const auto found = aligned->find(memory); found != aligned->end()) {
      found->second.first->now -= found->second.second;
      aligned->erase(found);
    }
  __real_free(memory);
}
}

void* operator new(std::size_t bytes) {
  auto* const memory = static_cast<char*>(std::malloc(bytes + header));
  if (!memory) throw std::bad_alloc();
  rest.take(*reinterpret_cast<std::size_t*>(memory) = bytes);
  return memory + header;
}
void operator delete(void* memory) noexcept {
  if (!memory) return;
  char* const begin = static_cast<char*>(memory) - header;
  rest.now -= *reinterpret_cast<std::size_t*>(begin);
  __real_free(begin);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace {

using namespace mpi;

double packing_of_all = 0;  // types

/// One product; false, with a line, if a rank took more (or less) than it may.
template <class T>
bool as_promised(const course::World& world, const Shape& shape, const Sides& grid, const Sides& block,
                 int threads) {
  const Problem<T> problem{.shape = shape};
  const Settings settings{.threads = threads, .grid = grid, .block = block};
  Summa<T> variant(course::Traits{.name = "summa", .idea = "for tests"},
                   [](const Panels<T>& panels, const Grid& ranks, Multiply<T> multiply, int on) {
                     summa_in_slices<T>(panels, ranks, multiply, on, 48);
                   });
  matrices = {}, rest.most = rest.now;
  const std::size_t before = rest.now;
  variant.allocate(problem, settings, world);
  variant.distribute(), variant.reset(), variant.run();

  const auto [p, q] = grid;
  const auto [mb, nb] = block;
  const Index row = world.rank() / q, col = world.rank() % q;
  const Index m = Cyclic{shape.m, mb, p}.count(row), n = Cyclic{shape.n, nb, q}.count(col);
  const Index k_of_a = Cyclic{shape.k, nb, q}.count(col), k_of_b = Cyclic{shape.k, nb, p}.count(row);
  const Index share = m * n + m * k_of_a + k_of_b * n;
  const Index panels = 2 * nb * ((q > 1 ? m : 0) + (p > 1 ? n : 0));
  const auto least = static_cast<double>(share + panels) * sizeof(T);
  const double rows = 3 * sizeof(T) * static_cast<double>(m + n + k_of_a + k_of_b);  // behind each matrix
  const double guards = 7 * (2 * 256 + 63) + rows, indices = 1 << 14;
  const double packing = avx2::best_packs<T>(m, n, nb, threads);
  static double kept = 0;  // of this type: what an earlier product packed into stays
  packing_of_all += std::max(packing - kept, 0.), kept = std::max(packing, kept);
  const double said = variant.bytes(problem, settings);
  const auto took = static_cast<double>(matrices.most), packed = static_cast<double>(packs.most),
             other = static_cast<double>(rest.most - before);
  const bool fits = least <= took && took <= least + guards && packed <= packing_of_all && other <= indices &&
                    took + std::min(packed, packing) <= said + guards &&
                    (packed > 0 || avx2::best_vector() ==
                                       std::string_view("avx512"));  // AVX-512 reads small blocks in place
  variant.release();
  const bool gone = matrices.now == 0;
  if (!fits || !gone)
    std::printf("rank %d, %s of %s: %.0f bytes in matrices, not %.0f; %.0f packed, of %.0f; %.0f besides%s\n",
                world.rank(), block.text().c_str(), grid.text().c_str(), took, least, packed, packing_of_all,
                other, gone ? "" : "; not given back");
  return fits && gone;
}

/// Whether a variant with `packed` bytes of packing takes for its matrices what else it says, on every rank;
/// looks after the guards of each; and gives all back.
template <class T>
bool as_said(const course::World& world, course::Variant<T>& variant, const Problem<T>& problem,
             const Settings& settings, double packed) {
  matrices = {};
  variant.allocate(problem, settings, world);
  const double said = variant.bytes(problem, settings) - packed;
  const auto took = static_cast<double>(matrices.now);
  double count = 0;
  bool guarded = true;
  for (const auto& [memory, taken] : *aligned) {
    if (taken.first != &matrices) continue;
    char& guard = *static_cast<char*>(memory);
    ++guard, ++count;
    guarded &= !variant.guards_intact() || !problem.guards_intact();
    --guard;
  }
  const bool intact = variant.guards_intact();
  variant.release(), problem.forget();
  const bool fits = said + 512 * count <= took && took <= said + (512 + 63) * count;
  const bool well = fits && guarded && intact && matrices.now == 0;
  if (!well)
    std::printf("%s: %.0f bytes in %.0f matrices, not %.0f, guarded: %d and %d; %zu not given back\n",
                variant.traits.name.c_str(), took, count, said, guarded, intact, matrices.now);
  return well;
}

}  // namespace

int main(int argc, char** argv) {
  aligned = new std::map<void*, std::pair<Account*, std::size_t>>;
  const course::MpiWorld world(&argc, &argv);
  bool well = true;
  const auto check = [&]<class T>(T, const Shape& shape, const Sides& grid, const Sides& block, int threads) {
    well &= as_promised<T>(world, shape, grid, block, threads);
  };
  const Index ranks = world.size(), half = ranks / 2;
  for (const int threads : {1, 2}) {
    check(0.F, {480, 480, 480}, {2, half}, {40, 40}, threads);
    check(0., {361, 257, 311}, {2, half}, {16, 24}, threads);
    check(0., {361, 257, 311}, {1, ranks}, {16, 24}, threads);
    check(0, {100, 900, 64}, {ranks, 1}, {16, 24}, threads);
  }
  RowsVariant<float> rows({.name = "rows_blocking", .idea = ""}, scatter_blocking<float>,
                          gather_blocking<float>);
  BlockCyclic<float> dealt({.name = "block_cyclic", .idea = ""});
  Summa<float> summa({.name = "summa", .idea = ""}, summa_blocking<float>);
  const Problem<float> problem{.shape = {361, 257, 311}, .pad = 3};
  const auto [all_m, all_n, k] = problem.shape;
  for (const auto& [block, depth] : {std::pair(16, 24), std::pair(400, 311)}) {
    const Sides sides{block, block == 16 ? 24 : block};
    const Settings settings{.threads = 2, .grid = {2, half}, .block = sides};
    const Index row = world.rank() / (world.size() / 2), col = world.rank() % (world.size() / 2);
    const Index m = Cyclic{all_m, block, 2}.count(row);
    const Index n = Cyclic{all_n, block == 16 ? 24 : block, world.size() / 2}.count(col);
    const Index mine = part(all_m, world.size(), world.rank()).count;
    well &= as_said<float>(world, rows, problem, settings, avx2::best_packs<float>(mine, all_n, k, 2));
    well &= as_said<float>(world, dealt, problem, settings, avx2::best_packs<float>(m, n, k, 2));
    well &= as_said<float>(world, summa, problem, settings, avx2::best_packs<float>(m, n, depth, 2));
  }
  return well ? 0 : 1;
}

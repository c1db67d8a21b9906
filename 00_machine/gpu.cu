#include "gpu.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

#include "gpu.cuh"
#include "gpu/cuda.hpp"
#include "measure.hpp"
#include "runner/machine.hpp"

namespace machine {
namespace {

using course::Block, course::check, course::Cuda, course::Grid;

constexpr double MiB = 1 << 20;

cudaDeviceProp properties() {
  cudaDeviceProp found;
  check(cudaGetDeviceProperties(&found, 0));
  return found;
}

/// As many blocks as the multiprocessors hold at once: none waits for another one's end.
template <class Kernel>
Grid resident(Kernel kernel, Block block) {
  int of_each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, static_cast<int>(block.x), 0));
  return {Index{of_each} * properties().multiProcessorCount};
}

/// Memory of the GPU, each byte 0x3f: numbers below 1, for zeros might be faster than real data.
template <class T>
std::shared_ptr<T> on_gpu(Index count) {
  void* got = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  check(cudaMalloc(&got, bytes));
  const std::shared_ptr<T> memory(static_cast<T*>(got), cudaFree);
  check(cudaMemset(got, 0x3f, bytes));
  return memory;
}

/// A factor, a term and the sums of so many threads, which go to 1 and stay there; integers overflow.
template <class T>
std::shared_ptr<T> registers(Index threads) {
  const auto state = on_gpu<T>(2 + chains * threads);
  const T half[] = {T(0.5), T(0.5)};
  if constexpr (std::is_floating_point_v<T>)
    check(cudaMemcpy(state.get(), half, sizeof half, cudaMemcpyDefault));
  return state;
}

/// The most rounds a second, by the GPU's own marks; `work` starts so many.
template <class Work>
double rate_of(const Session& session, Work work) {
  return best_of(session.options.budget,
                 [&](Index rounds) {
                   return Window{Cuda::seconds_of([&] { work(static_cast<int>(rounds)); }), 1};
                 })
      .rounds;
}

// ------------------------------------------------------------------ what it is

/// The driver's version as its module tells it: "driver 580.95.05; "; or nothing.
std::string driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
      return "driver " + word + "; ";
  return {};
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Units for f32 in a multiprocessor, which CUDA does not tell; 0 where this table ends.
int f32_units(int major, int minor) {
  switch (major) {
    case 7:
      return 64;
    case 8:
      return minor == 0 ? 64 : 128;
    case 9:
    case 10:
    case 12:
      return 128;
    default:
      return 0;
  }
}

void add_properties(Session& session) {
  const cudaDeviceProp gpu = properties();
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime));
  const std::string capability = std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
  const int units = f32_units(gpu.major, gpu.minor);
  const auto bytes = [](std::size_t count) { return whole(static_cast<double>(count)); };
  std::vector<Row> rows = {
      {"gpu", "", "cuda", 0, "", std::to_string(gpu.multiProcessorCount), "multiprocessors",
       std::string(gpu.name) + "; compute capability " + capability + "; " + driver() + "CUDA " +
           version(runtime)},
      {"cache", "", "cuda", 0, "L1", bytes(gpu.sharedMemPerMultiprocessor), "B",
       "each multiprocessor; at most so much of its first level is shared memory"},
      {"cache", "", "cuda", 0, "L2", bytes(static_cast<std::size_t>(gpu.l2CacheSize)), "B",
       "of all multiprocessors"},
      {"memory", "", "cuda", 0, "memory", bytes(gpu.totalGlobalMem), "B",
       bytes_text(Cuda::free_memory()) + " free"}};
  if (units > 0)
    rows.push_back({"cores", "", "cuda", 0, "", std::to_string(units * gpu.multiProcessorCount), "",
                    "f32 units: " + std::to_string(units) + " a multiprocessor"});
  for (const Row& row : rows) add_if_wanted(session, row, [](Row&) {});
}

void add_clock(Session& session) {
  add_if_wanted(session, {"clock", "", "cuda", 0, "", "", "GHz", ""}, [&](Row& row) {
    const Block block{256};
    const Grid grid = resident(busy_clock, block);
    const auto state = registers<float>(grid.x * block.x);
    const auto ticks = on_gpu<long long>(2);
    long long last[2] = {};
    rate_of(session,
            [&](int rounds) { course::launch(busy_clock, grid, block, state.get(), rounds, ticks.get()); });
    check(cudaMemcpy(last, ticks.get(), sizeof last, cudaMemcpyDefault));
    row.value = rounded(static_cast<double>(last[0]) / static_cast<double>(last[1]));
    row.note = "measured: cycles over nanoseconds while all units multiply and add in f32";
  });
}

// ------------------------------------------------------------------ what it can do

template <class T>
void add_peak(Session& session, const std::string& type, const char* instruction) {
  if (!session.asks_for(type)) return;
  add_if_wanted(session, {"peak", type, "cuda", 0, "", "", "GFLOP/s", ""}, [&](Row& row) {
    const Block block{256};
    const Grid grid = resident(peak<T>, block);
    const auto state = registers<T>(grid.x * block.x);
    const double rate =
        rate_of(session, [&](int rounds) { course::launch(peak<T>, grid, block, state.get(), rounds); });
    row.value = rounded(rate * 2 * chains * static_cast<double>(grid.x * block.x) * 1e-9);
    row.note = std::string(instruction) + "; " + std::to_string(chains) + " chains a thread; no tensor cores";
  });
}

/// f64 in the form of a product, whose operands all lie in registers of a thread's own.
void add_outer_product(Session& session) {
  if (!session.asks_for("f64")) return;
  add_if_wanted(session, {"outer_product", "f64", "cuda", 0, "", "", "GFLOP/s", ""}, [&](Row& row) {
    const Block block{256};
    const Grid grid = resident(outer_product, block);
    const Index threads = grid.x * block.x;
    const auto state = on_gpu<double>(2 * side * threads);
    const double rate = rate_of(
        session, [&](int rounds) { course::launch(outer_product, grid, block, state.get(), rounds); });
    row.value = rounded(rate * 2 * side * side * static_cast<double>(threads) * 1e-9);
    row.note = "sums of 8 x 8 a thread; all operands from its registers";
  });
}

/// A bandwidth's row: `measure` returns bytes a second.
template <class F>
void add_bandwidth(Session& session, const char* level, const std::string& note, F measure) {
  add_if_wanted(session, {"bandwidth", "", "cuda", 0, level, "", "GB/s", note},
                [&](Row& row) { row.value = rounded(1e-9 * measure()); });
}

double shared_bandwidth(const Session& session) {
  const Block block{tile_cols};
  const Grid grid = resident(read_shared, block);
  const Index threads = grid.x * block.x;
  const auto state = on_gpu<float4>(threads);
  const double rate =
      rate_of(session, [&](int rounds) { course::launch(read_shared, grid, block, state.get(), rounds); });
  return rate * tile_rows * sizeof(float4) * static_cast<double>(threads);
}

double l2_bandwidth(const Session& session, double most_bytes) {
  const Block block{512};
  const Grid grid = resident(read_l2, block);
  const Index threads = grid.x * block.x;
  // All threads have equally much to read.
  const Index each = std::max<Index>(1, static_cast<Index>(most_bytes) / 16 / threads / under_way),
              count = each * threads * under_way;
  const auto from = on_gpu<float4>(count), state = on_gpu<float4>(threads);
  const double rate = rate_of(session, [&](int passes) {
    course::launch(read_l2, grid, block, from.get(), static_cast<int>(count), passes, state.get());
  });
  return rate * sizeof(float4) * static_cast<double>(count);
}

double memory_bandwidth(const Session& session, double bytes) {
  const Block block{512};
  const Index count = static_cast<Index>(bytes) / 16;
  const Grid grid{course::ceil_div(count, block.x)};
  const auto from = on_gpu<float4>(count), to = on_gpu<float4>(count);
  const double rate = rate_of(session, [&](int copies) {
    for (int i = 0; i < copies; ++i) course::launch(copy_all, grid, block, from.get(), to.get(), count);
  });
  return rate * 2 * sizeof(float4) * static_cast<double>(count);
}

void add_bandwidths_of_gpu(Session& session) {
  const double l2 = properties().l2CacheSize * 0.4;
  const double memory = std::min(1024 * MiB, Cuda::free_memory() / 8);
  add_bandwidth(session, "shared", "conflict-free reads of 16 bytes; all multiprocessors",
                [&] { return shared_bandwidth(session); });
  add_bandwidth(session, "L2", "reads of a buffer that takes two fifths of it at most; past the first level",
                [&] { return l2_bandwidth(session, l2); });
  add_bandwidth(session, "memory", "copy of " + bytes_text(memory) + "; read + written",
                [&] { return memory_bandwidth(session, memory); });
}

/// How long a load waits, by a chase through `bytes` in random order.
template <bool from_l1>
void add_latency_of_gpu(Session& session, const char* level, double bytes) {
  add_if_wanted(session, {"latency", "", "cuda", 0, level, "", "ns", ""}, [&](Row& row) {
    const auto count = static_cast<std::size_t>(bytes) / sizeof(Line);
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(987654));
    const auto lines = on_gpu<Line>(static_cast<Index>(count));
    const auto there = on_gpu<unsigned>(static_cast<Index>(count));
    const auto state = on_gpu<Chase>(1);
    Chase last{reinterpret_cast<unsigned long long>(lines.get()), 0};
    check(cudaMemcpy(there.get(), order.data(), count * sizeof(unsigned), cudaMemcpyDefault));
    check(cudaMemcpy(state.get(), &last, sizeof last, cudaMemcpyDefault));
    course::launch(link, Grid{256}, Block{256}, lines.get(), there.get(), static_cast<int>(count));
    double loads = 0;
    const double rate = rate_of(session, [&](int rounds) {
      course::launch(chase<from_l1>, Grid{1}, Block{1}, state.get(), rounds), loads = rounds;
    });
    check(cudaMemcpy(&last, state.get(), sizeof last, cudaMemcpyDefault));
    row.value = rounded(1e9 / rate);
    row.note = whole(static_cast<double>(last.cycles) / loads) + " cycles; one thread, lines of " +
               bytes_text(bytes) + " in random order";
  });
}

void add_latencies_of_gpu(Session& session) {
  add_latency_of_gpu<true>(session, "L1", 16 * 1024);
  add_latency_of_gpu<false>(session, "L2", properties().l2CacheSize / 16);
  add_latency_of_gpu<false>(session, "memory", std::min(512 * MiB, Cuda::free_memory() / 8));
}

/// Host memory that the system may move, or, pinned, may not: then the GPU copies it by itself.
std::shared_ptr<void> on_host(std::size_t bytes, bool pinned) {
  void* got = nullptr;
  if (pinned) check(cudaMallocHost(&got, bytes));
  if (!pinned && (got = std::malloc(bytes)) == nullptr) throw std::bad_alloc();
  std::memset(got, 1, bytes);  // touched: its pages are there
  return pinned ? std::shared_ptr<void>(got, cudaFreeHost) : std::shared_ptr<void>(got, std::free);
}

void add_copies(Session& session) {
  const double most = std::min({256 * MiB, Cuda::free_memory() / 8, course::available_memory() / 8});
  const auto bytes = static_cast<std::size_t>(most);
  for (const bool pinned : {true, false})
    for (const bool to_device : {true, false}) {
      const std::string level =
          std::string(to_device ? "to" : "from") + "_device_" + (pinned ? "pinned" : "pageable");
      add_if_wanted(session, {"copy", "", "cuda", 0, level, "", "GB/s", ""}, [&](Row& row) {
        const auto host = on_host(bytes, pinned);
        const auto gpu = on_gpu<char>(static_cast<Index>(bytes));
        void* const to = to_device ? static_cast<void*>(gpu.get()) : host.get();
        const void* const from = to_device ? host.get() : static_cast<void*>(gpu.get());
        const double rate = rate_of(session, [&](int copies) {
          for (int i = 0; i < copies; ++i) check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
        });
        row.value = rounded(1e-9 * rate * most), row.note = "copies of " + bytes_text(most);
      });
    }
}

}  // namespace

std::string gpu_missing() {
  return Cuda::missing();
}

void add_gpu(Session& session) {
  add_properties(session), add_clock(session), add_latencies_of_gpu(session);
  add_gpu_roofs(session);
}

void add_gpu_roofs(Session& session) {
  add_peak<float>(session, "f32", "fma");
  add_peak<double>(session, "f64", "fma");
  add_peak<std::uint32_t>(session, "i32", "mad");
  add_outer_product(session);
  add_bandwidths_of_gpu(session), add_copies(session);
}

}  // namespace machine

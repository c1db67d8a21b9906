#include "roof.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <numeric>
#include <random>
#include <thread>

#include "common/stopwatch.hpp"
#include "gpu.cuh"
#include "gpu/cuda.hpp"
#include "kernels/hopper.hpp"
#include "kernels/mma.cuh"
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

double free_memory() {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all));
  return static_cast<double>(free);
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
       bytes_text(free_memory()) + " free"}};
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

/// GFLOP/s of threads with so many chains each, each multiply-add from so many registers.
template <class T, int chains, int registers = 3>
double multiply_adds(const Session& session, Grid grid, Block block) {
  const Index threads = grid.x * block.x;
  const auto state = machine::registers<T>(threads);
  const auto work = [&](int rounds) {
    course::launch(peak<T, chains, registers>, grid, block, state.get(), rounds);
  };
  return rate_of(session, work) * 2 * chains * static_cast<double>(threads) * 1e-9;
}

template <class T>
void add_peak(Session& session, const std::string& type, const char* instruction) {
  if (!session.asks_for(type)) return;
  add_if_wanted(session, {"peak", type, "cuda", 0, "", "", "GFLOP/s", ""}, [&](Row& row) {
    const Block block{256};
    row.value = rounded(multiply_adds<T, chains>(session, resident(peak<T, chains>, block), block));
    row.note = std::string(instruction) + "; " + std::to_string(chains) + " chains a thread; no tensor cores";
  });
}

/// So many warps for each scheduler with a chain a thread, which alone hide how long a multiply-add takes.
template <int registers>
void add_warps(Session& session, const char* name) {
  if (!session.asks_for("f32")) return;
  for (const int warps : {1, 2, 4, 8})
    add_if_wanted(session, {name, "f32", "cuda", 0, std::to_string(warps), "", "GFLOP/s", ""}, [&](Row& row) {
      const Grid one_each{properties().multiProcessorCount};
      row.value = rounded(multiply_adds<float, 1, registers>(session, one_each, Block{4 * 32 * warps}));
      row.note = "fma; a chain a thread; a multiply-add reads " + std::to_string(registers) + " registers";
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

// ------------------------------------------------------------------ what its tensor cores can do

// The power that tensor cores take can lower the clock: of a budget of 0.2 s, after a rest of 1 s for the
// highest rate, and for 1.5 s, of which the last third counts.
constexpr double rest = 5, sustained = 7.5;

/// The most rounds a second in windows of 2 ms after a rest.
template <class Work>
double burst_of(const Session& session, Work work) {
  const int rounds = 1 + static_cast<int>(0.002 * rate_of(session, work));
  std::this_thread::sleep_for(std::chrono::duration<double>(rest * session.options.budget));
  double best = 0;
  for (int window = 0; window < 10; ++window)
    best = std::max(best, rounds / Cuda::seconds_of([&] { work(rounds); }));
  return best;
}

/// The rounds a second at the end of a long time without a rest.
template <class Work>
double sustained_of(const Session& session, Work work) {
  const int rounds = 1 + static_cast<int>(0.02 * rate_of(session, work));
  const double all = sustained * session.options.budget;
  const course::Stopwatch watch;
  double seconds = 0, done = 0;
  while (done == 0 || watch.seconds() < all) {
    const bool counts = watch.seconds() >= all * 2 / 3;
    const double took = Cuda::seconds_of([&] { work(rounds); });
    if (counts) seconds += took, done += rounds;
  }
  return done / seconds;
}

struct TensorPeak {
  const char *name, *type, *level, *what;  // a row's, and its note's
};

/// A peak of the tensor cores, and what they sustain, by a kernel with so many multiply-adds a thread and
/// round. Throws if it makes others: with ones as operands, the sums tell how many.
template <class Element, class Operand, class Sum>
void add_tensor_peak(Session& session, const TensorPeak& peak, double madds,
                     void (*kernel)(const Operand*, int, Sum*)) {
  const char* const of_sums = std::is_same_v<Sum, double> ? "f64" : std::is_same_v<Sum, int> ? "i32" : "f32";
  if (!session.asks_for(of_sums)) return;
  const Block block{tensor_threads};
  const Grid grid = resident(kernel, block);
  const Index threads = grid.x * block.x;
  const auto from = on_gpu<Operand>(operand_count);
  const auto sums = on_gpu<Sum>(threads);
  const auto work = [&](int rounds) { course::launch(kernel, grid, block, from.get(), rounds, sums.get()); };
  std::vector<Element> numbers(operand_count * sizeof(Operand) / sizeof(Element), Element(1));
  const auto send = [&] {
    check(cudaMemcpy(from.get(), numbers.data(), numbers.size() * sizeof(Element), cudaMemcpyDefault));
  };
  const auto row_of = [&](const char* name, const std::string& when, const auto& measure) {
    add_if_wanted(session, {name, peak.type, "cuda", 0, peak.level, "", "GFLOP/s", ""}, [&](Row& row) {
      row.value = rounded(measure(session, work) * 2 * madds * static_cast<double>(threads) * 1e-9);
      row.note = std::string(peak.what) + "; random numbers; " + when;
    });
  };
  constexpr int few = 3;
  send(), work(few);
  std::vector<Sum> counted(static_cast<std::size_t>(threads));
  check(cudaMemcpy(counted.data(), sums.get(), counted.size() * sizeof(Sum), cudaMemcpyDefault));
  if (const double claimed = few * madds * static_cast<double>(threads);
      std::accumulate(counted.begin(), counted.end(), 0.0) != claimed)
    throw std::runtime_error(std::string(peak.what) + ": not the " + whole(claimed) +
                             " multiply-adds counted");
  std::mt19937 random(987654);
  std::uniform_real_distribution<float> uniform(-1, 1);  // of zeros, products would take less power
  constexpr float largest = std::is_same_v<Element, std::int8_t> ? 127 : 1;
  for (Element& number : numbers) number = Element(largest * uniform(random));
  send();
  const auto time = [&](double share) { return rounded(share * session.options.budget) + " s"; };
  row_of(peak.name, "best of 2 ms after a rest of " + time(rest), burst_of<decltype(work)>);
  row_of("sustained", "the last third of " + time(sustained), sustained_of<decltype(work)>);
}

template <class Instruction>
void add_mma(Session& session, const TensorPeak& peak) {
  add_tensor_peak<typename Instruction::Element>(
      session, peak, rows_of_tiles * cols_of_tiles * Instruction::madds / 32.0, mma<Instruction>);
}

template <class Element>
void add_wgmma(Session& session, const TensorPeak& peak, bool from_registers) {
  constexpr bool in_bf16 = std::is_same_v<Element, course::bf16>;
  add_tensor_peak<Element>(session, peak, wgmma_steps * 64 * 256 * (in_bf16 ? 16 : 8) / 128.0,
                           wgmma_of(in_bf16, from_registers));
}

/// BF16's units are tensor cores only: theirs is its peak, by mma.sync the one for predictions.
void add_tensor_peaks(Session& session) {
  const cudaDeviceProp gpu = properties();
  if (gpu.major < 8) {
    std::cerr << "00_machine: mma.sync left out: it needs compute capability 8.0\n";
    return;
  }
  add_mma<MmaBf16>(session, {"peak", "bf16", "", "mma.sync.m16n8k16"});
  add_mma<MmaTf32>(session, {"peak", "tf32", "", "mma.sync.m16n8k8"});
  add_mma<MmaI8>(session, {"peak", "i8", "", "mma.sync.m16n8k32"});
  add_mma<MmaF64>(session, {"tensor", "f64", "m8n8k4", "mma.sync.m8n8k4"});
  if (gpu.major >= 9) add_mma<LargeMmaF64>(session, {"tensor", "f64", "m16n8k16", "mma.sync.m16n8k16"});
  if (gpu.major != 9 || gpu.minor != 0) {
    std::cerr << "00_machine: wgmma left out: only compute capability 9.0 has it\n";
    return;
  }
  add_wgmma<course::bf16>(session, {"peak", "bf16", "wgmma", "wgmma.m64n256k16; A from registers"}, true);
  add_wgmma<course::bf16>(session, {"peak", "bf16", "wgmma_shared", "wgmma.m64n256k16; A from shared memory"},
                          false);
  add_wgmma<float>(session, {"peak", "tf32", "wgmma", "wgmma.m64n256k8; A from registers"}, true);
  add_wgmma<float>(session, {"peak", "tf32", "wgmma_shared", "wgmma.m64n256k8; A from shared memory"}, false);
  add_tensor_peak<std::int8_t>(session,
                               {"peak", "i8", "wgmma_shared", "wgmma.m64n256k32; A from shared memory"},
                               wgmma_steps * 64 * 256 * 32 / 128.0, wgmma_of_bytes());
}

// ------------------------------------------------------------------ how fast it moves what it has

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

/// By bulk copies; `together` blocks read the same bytes.
double bulk_bandwidth(const Session& session, double most_bytes, Index together) {
  const Block block{32};
  const Index blocks = resident(bulk(), block).x / together * together, groups = blocks / together;
  const Index count = std::max<Index>(1, static_cast<Index>(most_bytes) / piece_bytes / groups);
  const auto from = on_gpu<float4>(count * groups * piece_bytes / 16);
  const double rate = rate_of(session, [&](int rounds) {
    course::launch(bulk(), Grid{blocks}, block, static_cast<const void*>(from.get()),
                   static_cast<int>(count * groups), rounds, static_cast<int>(together));
  });
  return rate * piece_bytes * static_cast<double>(count * blocks);
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
  const double memory = std::min(1024 * MiB, free_memory() / 8);
  add_bandwidth(session, "shared", "conflict-free reads of 16 bytes; all multiprocessors",
                [&] { return shared_bandwidth(session); });
  add_bandwidth(session, "L2", "reads of a buffer that takes two fifths of it at most; past the first level",
                [&] { return l2_bandwidth(session, l2); });
  if (properties().major == 9)
    for (const int together : {1, 4, 16})
      add_bandwidth(session,
                    together == 1   ? "L2_bulk"
                    : together == 4 ? "L2_bulk_4"
                                    : "L2_bulk_16",
                    "the same by bulk copies; blocks that read the same bytes: " + whole(together),
                    [&] { return bulk_bandwidth(session, l2, together); });
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
  add_latency_of_gpu<false>(session, "memory", std::min(512 * MiB, free_memory() / 8));
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
  const double most = std::min({256 * MiB, free_memory() / 8, course::available_memory() / 8});
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

/// Pinning 64 MiB of the host's memory, without its allocation: new, so that it gets its pages only now, or
/// touched before.
void add_pinning(Session& session) {
  constexpr std::size_t bytes = 64 * 1024 * 1024;
  for (const bool touched : {false, true})
    add_if_wanted(
        session, {"pinning", "", "cuda", 0, touched ? "touched" : "new", "", "GB/s", "of 64 MiB; best of 5"},
        [&](Row& row) {
          double best = 0;
          for (int time = 0; time < 5; ++time) {
            const std::unique_ptr<void, decltype(&std::free)> got(std::aligned_alloc(4096, bytes), std::free);
            if (!got) throw std::bad_alloc();
            if (touched) std::memset(got.get(), 1, bytes);
            const course::Stopwatch stopwatch;
            if (cudaHostRegister(got.get(), bytes, cudaHostRegisterDefault) != cudaSuccess)
              return void(cudaGetLastError());  // a host that cannot: no row
            best = std::max(best, bytes / stopwatch.seconds());
            check(cudaHostUnregister(got.get()));
          }
          row.value = rounded(1e-9 * best);
        });
}

}  // namespace

std::string gpu_missing() {
  return Cuda::missing();
}

void add_gpu(Session& session) {
  add_properties(session), add_clock(session), add_latencies_of_gpu(session);
  add_gpu_roofs(session), add_tensor_peaks(session);
}

void add_gpu_roofs(Session& session) {
  add_peak<float>(session, "f32", "fma");
  add_peak<double>(session, "f64", "fma");
  add_peak<std::uint32_t>(session, "i32", "mad");
  add_warps<2>(session, "warps"), add_warps<3>(session, "warps_three_registers");
  add_outer_product(session);
  add_bandwidths_of_gpu(session), add_copies(session), add_pinning(session);
}

}  // namespace machine

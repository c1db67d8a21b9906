#include "roof.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "common/stopwatch.hpp"
#include "measure.hpp"
#include "runner/machine.hpp"
#include "runner/text.hpp"

namespace machine {
namespace {

constexpr std::align_val_t line{64};

struct Free {
  void operator()(void* p) const { ::operator delete(p, line); }
};
template <class T>
using Buffer = std::shared_ptr<T>;

/// So many elements at a cache line's start, filled with `value`. Throws std::bad_alloc.
template <class T>
Buffer<T> buffer(Index count, T value) {
  Buffer<T> memory(static_cast<T*>(::operator new(static_cast<std::size_t>(count) * sizeof(T), line)),
                   Free());
  std::fill_n(memory.get(), count, value);
  return memory;
}

/// As buffer; kept until the thread needs another size: to touch a GiB first takes longer than to measure it.
template <class T>
Buffer<T> kept(int thread, Index count, T value) {
  static std::mutex mutex;
  static std::map<int, std::pair<Index, Buffer<T>>> of_threads;
  std::unique_lock lock(mutex);
  auto& [size, memory] = of_threads[thread];
  lock.unlock();
  if (size != count) {
    size = 0, memory = nullptr;
    memory = buffer<T>(count, value), size = count;
  }
  return memory;
}

/// A kernel's registers: factors and terms that keep every sum near 1.
template <class T>
Buffer<T> registers(int lanes, int chains) {
  const auto state = buffer<T>((2 + chains) * lanes, 1);
  if constexpr (std::is_floating_point_v<T>) std::fill_n(state.get(), 2 * lanes, T(0.5));
  return state;
}

template <class T>
std::function<Work(int)> of_kernel(void (*run)(T*, Index), int lanes, int chains) {
  return [=](int) -> Work {
    const auto state = registers<T>(lanes, chains);
    return [=](Index rounds) { run(state.get(), rounds); };
  };
}

template <class T>
int lanes_of(const Kernels& set) {
  return set.bytes / static_cast<int>(sizeof(T));
}

/// Steps of one chain a second.
template <class T>
Rate steps(Session& session, void (*run)(T*, Index), int lanes) {
  return best_rate(1, session.machine.cpus, session.options.budget, of_kernel<T>(run, lanes, 1));
}

template <class T>
void add_latency(Session& session, const std::string& type, const std::string& vector,
                 const std::string& operation, double clock, void (*run)(T*, Index), int lanes = 1) {
  if (run == nullptr || !session.asks_for(type)) return;
  add_if_wanted(session, {"latency", type, vector, 1, operation, "", "ns", ""}, [&](Row& row) {
    const Rate rate = steps<T>(session, run, lanes);
    row.value = rounded(1e9 / rate.rounds),
    row.note = fmt::format("{:.1f} cycles", clock / rate.rounds) + rate.disturbed();
  });
}

template <class T>
void add_peak(Session& session, const std::string& type, const Kernels& set, const Peak<T>& peak,
              int threads) {
  if (!session.asks_for(type)) return;
  add_if_wanted(session, {"peak", type, set.name, threads, "", "", "GFLOP/s", ""}, [&](Row& row) {
    const Rate rate = best_rate(threads, session.machine.cpus, session.options.budget,
                                of_kernel<T>(peak.run, lanes_of<T>(set), peak.chains));
    row.value = rounded(rate.rounds * 2 * lanes_of<T>(set) * peak.chains * 1e-9);
    row.note =
        std::string(peak.instructions) + "; " + std::to_string(peak.chains) + " chains" + rate.disturbed();
  });
}

/// The peak's loop with fewer chains than would keep the units busy, on one number at a time and on vectors.
void add_few(Session& session, const Kernels& set, const Few& few) {
  const std::string width = few.lanes == 1 ? "scalar" : set.name;
  add_if_wanted(session, {"chains", "f32", width, 1, std::to_string(few.chains), "", "GFLOP/s", ""},
                [&](Row& row) {
                  const Rate rate = best_rate(1, session.machine.cpus, session.options.budget,
                                              of_kernel<float>(few.run, few.lanes, few.chains));
                  row.value = rounded(rate.rounds * 2 * few.lanes * few.chains * 1e-9);
                  row.note = std::string(set.f32.instructions) + "; " + std::to_string(few.lanes) +
                             " at a time" + rate.disturbed();
                });
}

/// FLOP that the peak's loop does in a cycle. The clock is measured right before and after each of its
/// windows, so that it does not matter how it changes from one to the next.
void add_in_a_cycle(Session& session, const std::string& vector, void (*run)(float*, Index), int lanes,
                    int chains) {
  add_if_wanted(session, {"cycle", "f32", vector, 1, std::to_string(chains), "", "FLOP", ""}, [&](Row& row) {
    constexpr Index ticks = 1'000'000, rounds = 100'000;
    const auto count = registers<std::uint32_t>(1, 1);
    const auto state = registers<float>(lanes, chains);
    const auto seconds = [](const auto& work) {
      const course::Stopwatch watch;
      work();
      return watch.seconds();
    };
    const auto clock = [&] {
      return static_cast<double>(ticks) / seconds([&] { additions(count.get(), ticks); });
    };
    std::vector<std::pair<double, double>> windows(41);
    for (auto& [flop, hertz] : windows) {
      const double before = clock(), took = seconds([&] { run(state.get(), rounds); });
      hertz = (before + clock()) / 2;
      flop = static_cast<double>(rounds) * 2 * lanes * chains / (took * hertz);
    }
    std::nth_element(windows.begin(), windows.begin() + 20, windows.end());
    row.value = rounded(windows[20].first),
    row.note = fmt::format("the median of 41 windows; {:.2f} GHz in that one", windows[20].second * 1e-9);
  });
}

/// Bytes of the three arrays together, for each of `threads` threads, that lie in a level; 0 if the level
/// does not exist or is too small for so many. Level 4 is memory.
double working_set(const Topology& machine, int level, int threads) {
  const Cache* const cache = machine.cache(level);
  if (level < 4 && cache == nullptr) return 0;
  const auto all = static_cast<double>(threads);
  // How many of the threads meet in one cache.
  const auto together = [&](const Cache& shared) {
    const double share = all * shared.threads / static_cast<double>(machine.cpus.size());
    return std::clamp(share, 1.0, static_cast<double>(shared.threads));
  };
  if (level <= 2) return cache->bytes / 2 / together(*cache);
  constexpr double mebibyte = 1 << 20;
  if (level == 3) {
    const Cache* const l2 = machine.cache(2);
    const double beyond_l2 = l2 == nullptr ? 0 : 2 * l2->bytes / together(*l2);
    // Where the third level is a host's, shared with strangers, a large part of it is not ours. The arrays
    // are as large for one thread as for each of many: otherwise more than the threads would differ between
    // the two.
    const double threads_of_all = std::max(all, static_cast<double>(machine.cpus.size()));
    const double share = std::max(std::min(cache->bytes / 2, 32 * mebibyte) / threads_of_all, beyond_l2);
    return share * together(*cache) <= cache->bytes ? share : 0;
  }
  const double last = machine.caches.empty() ? 0 : machine.caches.back().bytes;
  const double wanted = std::clamp(4 * last, 256 * mebibyte, 1024 * mebibyte);
  return std::min(wanted, course::available_memory() / 4) / all;
}

/// Three arrays, one after the other, and a few lines more between them: with the same place in a page each,
/// the processor takes a load for one of what is being stored.
Work triad_of(int thread, const Kernels& set, Index count) {
  constexpr Index page = 512, lines = 21 * 8;  // in numbers
  const Index apart = (count + page - 1) / page * page + lines;
  const auto arrays = kept<double>(thread, 3 * apart, 1.0);
  return [=, run = set.triad](Index passes) {
    double* const a = arrays.get();
    run(a, a + apart, a + 2 * apart, 0.5, count, passes);
  };
}

Work read_of(int thread, const Kernels& set, Index count) {
  const auto numbers = kept<std::uint64_t>(thread, count, 1);
  return [=, run = set.read](Index passes) { run(numbers.get(), count, passes); };
}

void add_bandwidth(Session& session, const Kernels& set, int level, int threads) {
  const std::string name = level_name(level);
  const double bytes = working_set(session.machine, level, threads);
  if (bytes == 0) return;
  add_if_wanted(session, {"bandwidth", "", set.name, threads, name, "", "GB/s", ""}, [&](Row& row) {
    const auto count = std::max<Index>(64, static_cast<Index>(bytes) / 3 / 8 / 64 * 64);
    const Rate rate = best_rate(threads, session.machine.cpus, session.options.budget,
                                [&](int t) { return triad_of(t, set, count); });
    row.value = rounded(rate.rounds * 24 * static_cast<double>(count) * 1e-9);
    row.note = "triad; 3 arrays of " + course::readable_bytes(8 * static_cast<double>(count)) +
               (threads > 1 ? " a thread" : "") + (level > 1 ? "; write-allocate traffic not counted" : "") +
               rate.disturbed();
  });
}

/// The same bytes in one array, which is read and never written.
void add_read(Session& session, const Kernels& set, int level, int threads) {
  const double bytes = working_set(session.machine, level, threads);
  if (bytes == 0) return;
  add_if_wanted(session, {"read", "", set.name, threads, level_name(level), "", "GB/s", ""}, [&](Row& row) {
    const auto count = std::max<Index>(64, static_cast<Index>(bytes) / 8 / 64 * 64);
    const Rate rate = best_rate(threads, session.machine.cpus, session.options.budget,
                                [&](int t) { return read_of(t, set, count); });
    row.value = rounded(rate.rounds * 8 * static_cast<double>(count) * 1e-9);
    row.note = "sum of " + course::readable_bytes(8 * static_cast<double>(count)) +
               (threads > 1 ? " a thread" : "") + rate.disturbed();
  });
}

}  // namespace

bool Session::asks_for(const std::string& type) const {
  return std::find(options.types.begin(), options.types.end(), type) != options.types.end();
}

void add_latencies(Session& session) {
  // A chain of integer additions takes a cycle each: they tell the clock, and the clock all other cycles.
  const Rate chain = steps<std::uint32_t>(session, additions, 1);
  const double clock = chain.rounds;
  add_if_wanted(session, {"clock", "", "", 1, "", "", "GHz", ""}, [&](Row& row) {
    row.value = rounded(clock * 1e-9),
    row.note = "a chain of dependent integer additions; 1 cycle each" + chain.disturbed();
  });
  add_latency<float>(session, "f32", "", "add", clock, additions);
  add_latency<double>(session, "f64", "", "add", clock, additions);
  add_latency<std::uint32_t>(session, "i32", "", "add", clock, additions);
  for (const Kernels* set : vector_sets()) {
    add_latency<float>(session, "f32", set->name, "fma", clock, set->fma_f32.run, lanes_of<float>(*set));
    add_latency<double>(session, "f64", set->name, "fma", clock, set->fma_f64.run, lanes_of<double>(*set));
  }
}

void add_chains(Session& session) {
  if (!session.asks_for("f32")) return;
  for (const Kernels* set : vector_sets())
    for (const Few& few : set->few)
      if (few.run != nullptr) add_few(session, *set, few);
}

void add_cycles(Session& session) {
  if (!session.asks_for("f32")) return;
  for (const Kernels* set : vector_sets()) {
    for (const Few& few : set->few)
      if (few.run != nullptr)
        add_in_a_cycle(session, few.lanes == 1 ? "scalar" : set->name, few.run, few.lanes, few.chains);
    if (set->few[0].run == nullptr)  // else it is the last of few
      add_in_a_cycle(session, set->name, set->f32.run, lanes_of<float>(*set), set->f32.chains);
  }
}

std::string chains_missing() {
  for (const Kernels* set : vector_sets())
    if (set->few[0].run != nullptr) return {};
  return "this processor has no fused multiply-add";
}

void add_paces(Session& session) {
  for (const int threads : session.options.threads)
    add_if_wanted(session, {"pace", "", "", threads, "", "", "Gop/s", ""}, [&](Row& row) {
      const course::Stopwatch watch;
      double best = pace(threads);
      while (watch.seconds() < session.options.budget) best = std::max(best, pace(threads));
      row.value = rounded(best * 1e-9), row.note = "dependent additions; a thread each; the slowest counts";
    });
}

void add_peaks(Session& session) {
  for (const int threads : session.options.threads)
    for (const Kernels* set : vector_sets()) {
      add_peak(session, "f32", *set, set->f32, threads);
      add_peak(session, "f64", *set, set->f64, threads);
      add_peak(session, "i32", *set, set->i32, threads);
    }
}

void add_bandwidths(Session& session) {
  for (const int threads : session.options.threads)
    for (int level = 1; level <= 4; ++level) {
      if (session.machine.cache(level) != nullptr && working_set(session.machine, level, threads) == 0)
        std::cerr << "00_machine: L" << level << " with " << threads
                  << " threads left out: it is too small to hold twice their second level\n";
      for (const Kernels* set : vector_sets()) add_bandwidth(session, *set, level, threads);
    }
}

void add_reads(Session& session) {
  for (const int threads : session.options.threads)
    for (int level = 1; level <= 4; ++level)
      for (const Kernels* set : vector_sets()) add_read(session, *set, level, threads);
}

}  // namespace machine

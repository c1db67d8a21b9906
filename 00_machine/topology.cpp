#include "topology.hpp"

#include <algorithm>

#include "runner/machine.hpp"
#include "runner/text.hpp"

namespace machine {

std::string level_name(int level) {
  return level > 3 ? "memory" : std::string("L").append(std::to_string(level));
}

const Cache* Topology::cache(int level) const {
  for (const Cache& cache : caches)
    if (cache.level == level) return &cache;
  return nullptr;
}

void Topology::add(const Cache& of_core) {
  const auto like = [&of_core](const auto& other) {
    return other.bytes == of_core.bytes && other.cores == of_core.cores;
  };
  const auto first = std::find_if(caches.begin(), caches.end(),
                                  [&of_core](const Cache& cache) { return cache.level == of_core.level; });
  if (first == caches.end()) {
    if (of_core.bytes > 0) caches.push_back(of_core);
  } else if (!like(*first)) {
    const auto known = std::find_if(first->others.begin(), first->others.end(), like);
    if (known != first->others.end())
      ++known->count;
    else
      first->others.push_back({1, of_core.bytes, of_core.cores});
  }
}

std::string note_of(const Cache& cache, int cores) {
  int like = cores;
  for (const Cache::Others& others : cache.others) like -= others.count;
  std::string note = cache.ways > 0 ? fmt::format("{} ways; ", cache.ways) : "";
  if (cache.line > 0) note += fmt::format("{} B lines; ", cache.line);
  note += cache.cores > 1 ? fmt::format("shared by {} of the {} usable cores", cache.cores, cores)
          : like < cores  ? fmt::format("each of {} cores", like)
                          : "each core";
  for (const auto& [count, bytes, sharing] : cache.others) {
    note += count == 1 ? "; 1 other has " : fmt::format("; {} others have ", count);
    note += bytes == 0 ? "none"
                       : course::readable_bytes(bytes) +
                             (sharing > 1 ? fmt::format(" shared by {}", sharing) : " each");
  }
  return note;
}

std::vector<const Kernels*> vector_sets() {
#ifdef __aarch64__
  return {&machine_neon::kernels};  // every such processor has it
#else
  std::vector<const Kernels*> sets;
  // The compiler's question also asks whether the system saves the registers.
  if (__builtin_cpu_supports("sse2")) sets.push_back(&machine_sse2::kernels);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(&machine_avx2::kernels);
  if (__builtin_cpu_supports("avx512f")) sets.push_back(&machine_avx512::kernels);
  return sets;
#endif
}

void add_processor(Sheet& sheet, const Topology& machine) {
  const Row row{
      "processor", "", "", 0, "", std::to_string(machine.cpus.size()), "threads", course::processor().name};
  if (sheet.wants(row)) sheet.add(row);
}

void add_topology(Sheet& sheet, const Topology& machine) {
  std::vector<Row> rows = {{"cores", "", "", 0, "", std::to_string(machine.cores), "cores",
                            "physical as far as the system is told"}};
  for (const Kernels* set : vector_sets())
    rows.push_back({"vector", "", set->name, 0, "", std::to_string(set->bytes), "B", ""});
  for (const Cache& cache : machine.caches)
    rows.push_back({"cache", "", "", 0, level_name(cache.level), whole(cache.bytes), "B",
                    note_of(cache, machine.cores)});
  rows.push_back({"memory", "", "", 0, "memory", whole(machine.memory), "B",
                  course::readable_bytes(course::available_memory()) + " available"});
  for (const Row& row : rows)
    if (sheet.wants(row)) sheet.add(row);
}

}  // namespace machine

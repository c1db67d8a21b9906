#include "topology.hpp"

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

std::vector<const Kernels*> vector_sets() {
  std::vector<const Kernels*> sets;
  // The compiler's question also asks whether the system saves the registers.
  if (__builtin_cpu_supports("sse2")) sets.push_back(&machine_sse2::kernels);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.push_back(&machine_avx2::kernels);
  if (__builtin_cpu_supports("avx512f")) sets.push_back(&machine_avx512::kernels);
  return sets;
}

void add_processor(Sheet& sheet, const Topology& machine) {
  const Row row{"processor",        "", "", 0, "", std::to_string(machine.cpus.size()), "threads",
                course::processor()};
  if (sheet.wants(row)) sheet.add(row);
}

void add_topology(Sheet& sheet, const Topology& machine) {
  std::vector<Row> rows = {{"cores", "", "", 0, "", std::to_string(machine.cores), "cores",
                            "physical as far as the system is told"}};
  for (const Kernels* set : vector_sets())
    rows.push_back({"vector", "", set->name, 0, "", std::to_string(set->bytes), "B", ""});
  for (const Cache& cache : machine.caches) {
    std::string note = cache.ways > 0 ? std::to_string(cache.ways) + " ways; " : "";
    if (cache.line > 0) note += std::to_string(cache.line) + " B lines; ";
    note += cache.cores == 1 ? "each core"
                             : "shared by " + std::to_string(cache.cores) + " of the " +
                                   std::to_string(machine.cores) + " usable cores";
    rows.push_back({"cache", "", "", 0, level_name(cache.level), whole(cache.bytes), "B", note});
  }
  rows.push_back({"memory", "", "", 0, "memory", whole(machine.memory), "B",
                  course::readable_bytes(course::available_memory()) + " available"});
  for (const Row& row : rows)
    if (sheet.wants(row)) sheet.add(row);
}

}  // namespace machine

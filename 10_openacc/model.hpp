// What OpenACC and OpenMP offer alike: to ask where a region runs, and memory there.
#pragma once

#include <strings.h>

#include <cstddef>
#include <cstdlib>

namespace openacc {

/// A programming model's own calls. OpenACC's and OpenMP's stand in libraries of their own (CMakeLists.txt
/// says why), which throw nothing; a test has a third, which it can make lie.
struct Model {
  const char* name;
  const char* to_fall_back;          // what a user sets to run on the host on purpose
  bool (*host_wanted)();             // it is set
  bool (*on_host)();                 // where a region runs now, found out by running one
  const char* (*gpu)();              // its name
  double (*free_bytes)();            // of the GPU's memory; 0 if it is not told
  void* (*take)(std::size_t bytes);  // memory where regions run, or null
  void (*give_back)(void* memory);
  bool (*to_device)(void* to, const void* from, std::size_t bytes);  // false if it failed
  bool (*from_device)(void* to, const void* from, std::size_t bytes);
};

extern const Model by_openacc, by_openmp;

/// True if the build holds code for a GPU: the offload compiler was there.
inline constexpr bool offloads = COURSE_OFFLOADS;

/// True if the environment variable has this value, in whatever case.
inline bool is_set(const char* variable, const char* value) {
  const char* const given = std::getenv(variable);
  return given != nullptr && strcasecmp(given, value) == 0;
}

}  // namespace openacc

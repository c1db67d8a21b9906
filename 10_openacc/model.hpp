// OpenACC and OpenMP, both by libgomp: where a region runs, and memory there.
#pragma once

#include <strings.h>

#include <cstddef>
#include <cstdlib>

namespace openacc {

/// A programming model. OpenACC's and OpenMP's stand in libraries of their own (CMakeLists.txt says why),
/// which throw nothing; a test has a third, which it can make lie.
struct Model {
  const char *name, *variable, *host;  // the variable that a user sets to `host` to run there on purpose
  int (*runs_on)();  // the GPU where a region runs now, found out by running one; -1: the host
};
extern const Model by_openacc, by_openmp;

/// True if the user wants the host; in whatever case it is written.
inline bool host_wanted(const Model& model) {
  const char* const given = std::getenv(model.variable);
  return given != nullptr && strcasecmp(given, model.host) == 0;
}

/// True if the build holds code for a GPU: the offload compiler was there.
inline constexpr bool offloads = COURSE_OFFLOADS;

// For both models by OpenACC's calls: OpenMP has none for a GPU's name, and libgomp numbers GPUs alike and
// gives both the same memory. A failed copy ends the program there. `gpu` -1: the host.

const char* name_of(int gpu);
/// Memory where regions run, or null.
void* take(int gpu, std::size_t bytes);
void give_back(int gpu, void* memory);
void to_device(int gpu, void* to, const void* from, std::size_t bytes);
void from_device(int gpu, void* to, const void* from, std::size_t bytes);

}  // namespace openacc

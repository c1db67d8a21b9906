// Which kernel each variant of a GPU's step starts, and what it asks for: a result tells of neither. Whoever
// includes this includes the step's main.cu next, and has its variants.
#pragma once

#include <doctest/doctest.h>

#include <stdexcept>

#include "gpu/step.hpp"
#undef COURSE_GPU_STEP
#define COURSE_GPU_STEP(...)

namespace wiring {

using Kernel = void (*)();
template <class... Parameters>
Kernel address(void (*kernel)(Parameters...)) {
  return reinterpret_cast<Kernel>(kernel);
}

/// What is expected of a variant: its kernel where rows begin at 16 bytes, and elsewhere.
struct Row {
  std::string name;
  Kernel aligned, padded;
  course::Memory memory = course::Memory::device;
  int capability = 0;
  bool waits = true;
};
template <class... Parameters>
Row row(std::string name, void (*kernel)(Parameters...), course::Memory memory = course::Memory::device) {
  return {std::move(name), address(kernel), address(kernel), memory};
}

/// Which kernel the variant starts for a small product.
template <class T>
Kernel started_by(course::Variant<T>& variant, course::Index pad, const course::Settings& settings) {
  course::emulator::set_order("forward");
  const course::Problem<T> problem{.shape = {12, 20, 16}, .pad = pad};
  variant.allocate(problem, settings, course::World()), variant.distribute(), variant.reset();
  try {
    variant.run();
  } catch (const std::runtime_error&) {  // so a broken one may end
  }
  variant.release();
  return course::launched.kernel;
}

template <class T>
void check(const course::Variants<T>& variants, const std::vector<Row>& rows,
           const course::Settings& settings = {}) {
  REQUIRE(variants.size() == rows.size());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const Row& expected = rows[v];
    CAPTURE(expected.name);
    CHECK(variants[v]->traits.name == expected.name);
    CHECK((started_by(*variants[v], 0, settings) == expected.aligned));
    CHECK((started_by(*variants[v], 1, settings) == expected.padded));
    const auto& needs =
        dynamic_cast<const course::GpuVariant<T, course::ThisPlatform>&>(*variants[v]).needs();
    CHECK((needs.memory == expected.memory));
    CHECK(needs.capability == expected.capability);
    CHECK(needs.waits == expected.waits);
  }
}

}  // namespace wiring

// Which kernel each variant of a GPU's step starts, and in which memory: a result tells of neither. Whoever
// includes this includes the step's main.cu next, and has its variants.
#pragma once

#include <doctest/doctest.h>

#include "gpu/step.hpp"
#undef COURSE_GPU_STEP
#define COURSE_GPU_STEP(...)

namespace wiring {

using Kernel = void (*)();

/// What is expected of a variant: its kernel where rows begin at 16 bytes, and elsewhere.
struct Row {
  std::string name;
  Kernel aligned, padded;
  course::Memory memory;
};
template <class... Views, class... Others>
Row row(std::string name, void (*aligned)(Views...), void (*padded)(Others...),
        course::Memory memory = course::Memory::device) {
  return {std::move(name), reinterpret_cast<Kernel>(aligned), reinterpret_cast<Kernel>(padded), memory};
}
template <class... Views>
Row row(std::string name, void (*kernel)(Views...), course::Memory memory = course::Memory::device) {
  return row(std::move(name), kernel, kernel, memory);
}

/// The kind of memory that was taken last. (Pinned is the host's, beside the device's.)
inline course::Memory memory_since(const course::emulator::Taken& before) {
  const course::emulator::Taken& now = course::emulator::taken;
  if (now.pinned > before.pinned) return course::Memory::pinned;
  if (now.unified > before.unified) return course::Memory::unified;
  return now.pitched > before.pitched ? course::Memory::pitched : course::Memory::device;
}

/// Which kernel the variant starts for a small product.
template <class T>
Kernel started_by(course::Variant<T>& variant, course::Index pad, const course::Settings& settings) {
  course::emulator::set_order("forward");
  const course::Problem<T> problem{.shape = {12, 20, 16}, .pad = pad};
  variant.allocate(problem, settings), variant.distribute(), variant.reset(), variant.run();
  variant.release();
  return course::launched.kernel;
}

/// The table holds for all variants but those that are wrong on purpose.
template <class T>
void check(const course::Variants<T>& variants, const std::vector<Row>& rows,
           const course::Settings& settings = {}) {
  auto row = rows.begin();
  for (const auto& variant : variants) {
    if (variant->traits.broken) continue;
    REQUIRE(row != rows.end());
    CAPTURE(row->name);
    CHECK(variant->traits.name == row->name);
    const course::emulator::Taken before = course::emulator::taken;
    CHECK((started_by(*variant, 0, settings) == row->aligned));
    CHECK((memory_since(before) == row->memory));
    CHECK((started_by(*variant, 1, settings) == row->padded));
    ++row;
  }
  CHECK(row == rows.end());
}

}  // namespace wiring
